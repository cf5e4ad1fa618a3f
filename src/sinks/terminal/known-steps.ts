/** How many steps a run is known to have: those that settled or run, and those of the plan that have not begun. */
import { type Step, stepsIn } from '../../core/plan.js';
import type { OpenItems, Progress } from './progress.js';

export interface KnownSteps {
  readonly count: number;
  /** A loop has not begun, and may add to it. */
  readonly isLeast: boolean;
}

/** Undefined where the plan is not known. */
export function knownSteps(progress: Progress): KnownSteps | undefined {
  if (!progress.plan) return undefined;
  const ahead = aheadIn(progress.plan.steps, '', progress);
  return { count: progress.settled + progress.steps.size + ahead.count, isLeast: ahead.isLeast };
}

function aheadIn(steps: readonly Step[], around: string, progress: Progress): KnownSteps {
  let count = 0;
  let isLeast = false;
  for (const step of steps) {
    const ids = `${around}${step.id}`;
    const within = stepsIn(step);
    const loop = progress.items.get(ids);
    const wasSeen = progress.seen.has(ids);
    if (loop) {
      count += itemsAhead(loop, Math.max(1, leavesIn(within)), ids, progress);
    } else if (within.length > 0 && (!wasSeen || progress.groups.has(ids))) {
      const ahead = aheadIn(within, `${ids}/`, progress);
      count += ahead.count;
      isLeast ||= ahead.isLeast;
    } else if (!wasSeen) count++;
    if (!wasSeen && (step.foreach || step.repeat)) isLeast = true;
  }
  return { count, isLeast };
}

/** @param each steps in an item */
function itemsAhead({ count, settled }: OpenItems, each: number, path: string, progress: Progress): number {
  const isBelow = (one: string) => one.startsWith(`${path}/`);
  const running = [...progress.steps.keys()].filter(isBelow).length;
  const done = [...progress.groups].reduce((sum, [one, group]) => sum + (isBelow(one) ? group.settled : 0), 0);
  return Math.max(0, (count - settled) * each - running - done);
}

function leavesIn(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + (stepsIn(step).length > 0 ? leavesIn(stepsIn(step)) : 1), 0);
}
