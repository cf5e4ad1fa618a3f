/** What becomes of a step each time that it stands in the plan: performed, skipped, or never reached because the run has ended. */
import { kindOf, type Step } from '../core/plan.js';
import { foreseeCondition, inEach, rootsIn } from './known.js';
import type { Places } from './places.js';

export type Fate =
  | { readonly type: 'runs' }
  | { readonly type: 'skipped' }
  /** Only a run can tell its condition. */
  | { readonly type: 'open' }
  | { readonly type: 'fails'; readonly message: string }
  /** The run has ended before. */
  | { readonly type: 'over' };

const RUNS: Fate = { type: 'runs' };
const OVER: Fate = { type: 'over' };

export function fatesOf({ when }: Step, { each }: Places, isOver: readonly boolean[]): Fate[] {
  if (!when) return each.map((_, at) => (isOver[at] ? OVER : RUNS));
  const fates = inEach(rootsIn([when]), each, (known): Fate => {
    const value = foreseeCondition(when, known);
    if (value.type === 'waits') return { type: 'open' };
    return value.type === 'fails' ? value : { type: value.value === true ? 'runs' : 'skipped' };
  });
  return fates.map((fate, at) => (isOver[at] ? OVER : fate));
}

/**
 * Of each place: whether the run is known to end there, at this step or below it.
 * @param held of each time that a group is performed
 */
export function endsBelow(step: Step, fates: readonly Fate[], held: readonly boolean[] | undefined): boolean[] {
  let performed = 0;
  return fates.map(({ type }) => {
    if (type === 'over') return true;
    if (type !== 'runs' && type !== 'open') return false;
    const at = performed++;
    if (type === 'open') return false;
    return kindOf(step) === 'end' || (passesOn(step) && held?.[at] === true);
  });
}

/** Not so for one that may fail before its end while the run goes on, nor for another skill, whose end is its own. */
function passesOn({ body, foreach, onError }: Step): boolean {
  return body.type === 'group' && !foreach && onError === 'fail';
}
