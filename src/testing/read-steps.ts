/** Collects the steps that a test names, with their places, to be checked against the plan. */
import type { Position } from '../core/problems.js';
import { STEP_PATTERN, type StepPattern } from '../core/step-pattern.js';
import type { Notes } from '../load/notes.js';

export interface Named {
  readonly steps: readonly { readonly pattern: StepPattern; readonly at: Position }[];
  /** False, with a problem said, for what cannot name a step. */
  note(pattern: string, at: Position): boolean;
}

export function collectNamed(notes: Notes): Named {
  const steps: { readonly pattern: StepPattern; readonly at: Position }[] = [];
  return {
    steps,
    note(pattern, at) {
      if (STEP_PATTERN.test(pattern)) {
        steps.push({ pattern, at });
        return true;
      }
      notes.error('step-name', at, `"${pattern}" names no step.`, {
        hint: 'Write an id, such as search, or a path, such as search/1 or rounds/*/build.',
      });
      return false;
    },
  };
}
