/** The steps that a session left failed, as they became known: the innermost ones. */
import type { Recorded } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { StepPath } from '../core/outcome.js';
import { type Plan, type Step, stepsIn } from '../core/plan.js';
import type { Position } from '../core/problems.js';
import { idsOf } from '../core/step-path.js';

export interface FailedStep {
  readonly path: StepPath;
  readonly message: string;
  readonly code?: FaultData['code'];
  /** Of the answer of its model that was refused last, one line each. */
  readonly problems?: readonly string[];
  /** Where it is written. */
  readonly at?: Position;
}

export interface FailedSteps {
  see(event: Recorded): void;
  /** Tells where the steps are written. */
  expect(plan: Plan): void;
  left(): FailedStep[];
}

/** Of a message, which may hold what a process printed. */
const MOST_CHARACTERS = 2_000;

export function failedSteps(): FailedSteps {
  const failed = new Map<StepPath, Pick<FailedStep, 'message' | 'code' | 'problems'>>();
  const refused = new Map<StepPath, readonly string[]>();
  const places = new Map<string, Position>();
  const isInnermost = (path: StepPath) => {
    const below = `${path}/`;
    for (const other of failed.keys()) if (other.startsWith(below)) return false;
    return true;
  };
  return {
    see(event) {
      switch (event.type) {
        case 'answer_refused':
          refused.set(event.path, event.problems);
          return;
        case 'step_failed': {
          const { path, fault } = event;
          const problems = refused.get(path);
          const message = fault.message.slice(0, MOST_CHARACTERS);
          failed.set(path, { message, code: fault.code, ...(problems === undefined ? {} : { problems }) });
          refused.delete(path);
          return;
        }
        // A loop over items is done although some of them failed.
        case 'step_done':
        case 'step_reused':
          failed.delete(event.path);
          refused.delete(event.path);
          return;
        default:
          return;
      }
    },
    expect(plan) {
      place(plan.steps, '', places);
    },
    left() {
      return [...failed].flatMap(([path, fault]) => {
        if (!isInnermost(path)) return [];
        const at = places.get(idsOf(path));
        return [{ path, ...fault, ...(at ? { at } : {}) }];
      });
    },
  };
}

function place(steps: readonly Step[], around: string, places: Map<string, Position>): void {
  for (const step of steps) {
    places.set(`${around}${step.id}`, step.at);
    place(stepsIn(step), `${around}${step.id}/`, places);
  }
}
