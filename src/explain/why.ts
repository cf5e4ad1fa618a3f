/** Why a step ran, or ran again: the difference between its key and the one before, and what is behind it. */
import type { FaultData } from '../core/faults.js';
import type { StepPath } from '../core/outcome.js';
import { ASKED_FOR, FILES_OF_EARLIER_STEPS, goesOn, NEVER_REUSED } from '../core/reasons.js';
import { comparedKeys, type PartChange } from './compare-keys.js';
import { type FileChange, fileChanges, publishedBefore, readsOf } from './files.js';
import type { History, Visit } from './history.js';
import { type UsedStep, usedSteps } from './used-steps.js';

export type Reason =
  | { readonly type: 'first' }
  /** The item that was here before has moved: this one is new. */
  | { readonly type: 'new_item'; readonly movedTo: StepPath }
  /** `--from` or `fork --from` named it. */
  | { readonly type: 'asked' }
  /** A step that it reads gave another value. */
  | { readonly type: 'used'; readonly step: UsedStep }
  | { readonly type: 'part'; readonly change: PartChange }
  | { readonly type: 'files_of_steps'; readonly files: readonly FileChange[] }
  | { readonly type: 'files_read'; readonly files: readonly FileChange[] }
  | { readonly type: 'failed'; readonly fault: FaultData }
  | { readonly type: 'not_cached' }
  /** With `after` it had failed, and a person told it to go on. */
  | { readonly type: 'continues'; readonly rounds: number; readonly after?: FaultData }
  | { readonly type: 'interrupted' }
  /** It had asked a person, or for a word on an effect. */
  | { readonly type: 'waited' }
  /** As the engine said it, where the journal tells no more. */
  | { readonly type: 'said'; readonly text: string };

export interface Why {
  readonly reasons: readonly Reason[];
  /** What it was held against. */
  readonly earlier?: Visit;
}

/** @param visit of a step that ran, which is no group or loop */
export function whyItRan(history: History, visit: Visit): Why {
  const earlier = history.visits.get(visit.path)?.findLast((one) => one.from < visit.from && one.key !== '');
  if (!earlier) return { reasons: [visit.because === ASKED_FOR ? { type: 'asked' } : { type: 'first' }] };
  const movedTo = movedItem(history, visit);
  if (movedTo !== undefined) return { reasons: [{ type: 'new_item', movedTo }], earlier };
  const asked: Reason[] = visit.because === ASKED_FOR ? [{ type: 'asked' }] : [];
  const reasons = [...asked, ...changes(history, visit, earlier)];
  return { reasons: reasons.length > 0 ? reasons : [sameKey(visit, earlier)], earlier };
}

function changes(history: History, visit: Visit, earlier: Visit): Reason[] {
  const found = comparedKeys(earlier, visit);
  const reads = found.some(({ part }) => /^(config|assert)\b/.test(part));
  const used = reads ? usedSteps(history, visit, earlier).filter(({ value }) => value === 'other') : [];
  return [
    ...used.map((step): Reason => ({ type: 'used', step })),
    ...found.map((change): Reason => {
      if (change.part !== FILES_OF_EARLIER_STEPS) return { type: 'part', change };
      const files = fileChanges(publishedBefore(history, earlier), publishedBefore(history, visit));
      return { type: 'files_of_steps', files };
    }),
  ];
}

/** The item that was here took its result along to another index. */
function movedItem(history: History, visit: Visit): StepPath | undefined {
  if (visit.path === visit.family) return undefined;
  for (const [path, visits] of history.visits) {
    const moved = visits.some(
      ({ session, family, ending }) =>
        session === visit.session && family === visit.family && ending.type === 'reused' && ending.from === visit.path,
    );
    if (moved && path !== visit.path) return path;
  }
  return undefined;
}

/** Nothing of the key changed, and yet it was not reused. */
function sameKey(visit: Visit, earlier: Visit): Reason {
  if (goesOn(visit.because)) {
    const { ending, lastRound } = earlier;
    return { type: 'continues', rounds: lastRound, ...(ending.type === 'failed' ? { after: ending.fault } : {}) };
  }
  switch (earlier.ending.type) {
    case 'failed':
      return { type: 'failed', fault: earlier.ending.fault };
    case 'open':
    case 'stopped':
      return { type: 'interrupted' };
    case 'waiting':
      return { type: 'waited' };
    case 'done':
    case 'reused': {
      if (visit.because === NEVER_REUSED) return { type: 'not_cached' };
      const before = readsOf(earlier);
      const now = readsOf(visit);
      const files = fileChanges(before, now).filter(({ path }) => before.has(path));
      return files.length > 0 ? { type: 'files_read', files } : { type: 'said', text: visit.because };
    }
    default:
      return { type: 'said', text: visit.because };
  }
}
