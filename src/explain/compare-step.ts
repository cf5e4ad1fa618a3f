/** One step of two runs: what went into it, what it came to, what it left, what it took. */
import { type Difference, differences } from '../core/compare-json.js';
import { hashJson } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { comparedKeys, type PartChange } from './compare-keys.js';
import { type FileChange, fileChanges, hashesOf } from './files.js';
import type { History, Outcome, Visit } from './history.js';
import { type Both, type Figures, lastVisit, type RunSide, tookAt } from './run-side.js';
import { summary } from './say.js';
import { pathOf, valueAt } from './used-steps.js';

export interface StepComparison {
  readonly path: StepPath;
  readonly isEqual: boolean;
  /** `absent`: the run never came to it. */
  readonly outcomes: Both<Outcome | 'absent'>;
  /** What went into it. */
  readonly given: readonly PartChange[];
  /** Steps whose values went into it, and are others: what was given follows from them. */
  readonly follows: readonly StepPath[];
  readonly output: { readonly summary: string; readonly differences: readonly Difference[] } | undefined;
  readonly files: readonly FileChange[];
  /** Faults, or why it was skipped. */
  readonly words: Both<string>;
  /** Of this run alone: what was reused took nothing. */
  readonly figures: Both<Figures>;
  /** Where a whole group or item is in one run only: the steps in it. */
  readonly steps?: number;
}

export function comparedStep(path: StepPath, a: RunSide, b: RunSide): StepComparison {
  const [was, is] = [lastVisit(a, path), lastVisit(b, path)];
  const outcomes = [was?.ending.type ?? 'absent', is?.ending.type ?? 'absent'] as const;
  const found = was && is ? differences(was.output, is.output) : [];
  const files = was && is ? fileChanges(hashesOf([was]), hashesOf([is])) : [];
  const given = was && is ? givenOtherwise(was, is) : [];
  const follows = was && is && given.length > 0 ? otherUsed(a.history, was, b.history, is) : [];
  const words = [wordsOf(was), wordsOf(is)] as const;
  const sameWords = words[0] === words[1];
  return {
    path,
    isEqual:
      settledAs(outcomes[0]) === settledAs(outcomes[1]) &&
      found.length === 0 &&
      given.length === 0 &&
      files.length === 0 &&
      sameWords,
    outcomes,
    given,
    follows,
    output: was && is && found.length > 0 ? { summary: summary(was.output, is.output), differences: found } : undefined,
    files,
    words,
    figures: [tookAt(a, path), tookAt(b, path)],
  };
}

function otherUsed(before: History, was: Visit, now: History, is: Visit): StepPath[] {
  return is.uses.flatMap((id) => {
    const [from, to] = [pathOf(before, was.path, id), pathOf(now, is.path, id)];
    if (from === undefined || to === undefined) return to ?? [];
    const same = hashJson(valueAt(before, from, was.from)) === hashJson(valueAt(now, to, is.from));
    return same ? [] : [to];
  });
}

/** Query and inputs are facts of the run, and said as such. */
function givenOtherwise(was: Visit, is: Visit): PartChange[] {
  if (was.key === '' || is.key === '' || was.key === is.key) return [];
  return comparedKeys(was, is).filter(({ part }) => part !== 'query' && part !== 'inputs');
}

/** Reused or made anew: the same result. */
export function settledAs(outcome: Outcome | 'absent'): Outcome | 'absent' {
  return outcome === 'reused' ? 'done' : outcome;
}

function wordsOf(visit: Visit | undefined): string {
  if (!visit) return '';
  const { ending } = visit;
  switch (ending.type) {
    case 'failed':
      return `${ending.fault.code}: ${ending.fault.message}`;
    case 'skipped':
    case 'stopped':
      return ending.reason;
    case 'ended':
      return `${ending.outcome}: ${ending.message}`;
    default:
      return '';
  }
}
