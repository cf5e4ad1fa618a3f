/** Pairs the steps of two runs by their paths; where a group or an item is in one run only, it stands for the steps in it. */
import type { StepPath } from '../core/outcome.js';
import { comparedStep, type StepComparison } from './compare-step.js';
import { holdersOf, type Outcome } from './history.js';
import { type Both, lastVisit, pathsOf, type RunSide } from './run-side.js';

export function comparedSteps(a: RunSide, b: RunSide): StepComparison[] {
  const paths: Both<StepPath[]> = [pathsOf(a), pathsOf(b)];
  const all = [...new Set([...paths[1], ...paths[0]])];
  const holders: Both<Set<StepPath>> = [holdersOf(paths[0]), holdersOf(paths[1])];
  const present: Both<Set<StepPath>> = [new Set([...paths[0], ...holders[0]]), new Set([...paths[1], ...holders[1]])];
  const isHolder = (path: StepPath) => holders[0].has(path) || holders[1].has(path);
  /** The outermost place with steps below it in one run only. */
  const foldOf = (path: StepPath) =>
    beginnings(path).find((one) => isHolder(one) && !(holders[0].has(one) && holders[1].has(one)));
  const leaves = all.filter((path) => !isHolder(path));
  const steps = new Map<StepPath, StepComparison>();
  for (const path of leaves) {
    const one = comparedStep(path, a, b);
    const top = foldOf(path);
    const folded = top === undefined ? undefined : steps.get(top);
    if (top === undefined) steps.set(path, one);
    else if (folded) steps.set(top, { ...folded, steps: (folded.steps ?? 0) + 1 });
    else
      steps.set(top, {
        ...comparedStep(top, a, b),
        isEqual: false,
        steps: 1,
        outcomes: outcomesAt(top, present, a, b),
      });
  }
  const uneven = holdersOf([...steps.values()].filter(({ isEqual }) => !isEqual).map(({ path }) => path));
  for (const path of all) {
    if (!isHolder(path) || steps.has(path) || uneven.has(path) || foldOf(path) !== undefined) continue;
    const one = comparedStep(path, a, b);
    if (!one.isEqual) steps.set(path, one);
  }
  const order = new Map(all.map((path, at) => [path, at]));
  return [...steps.values()].sort((x, y) => (order.get(x.path) ?? 0) - (order.get(y.path) ?? 0));
}

/** An item or round of steps has no record of its own: it is there if something below it is. */
function outcomesAt(path: StepPath, present: Both<Set<StepPath>>, a: RunSide, b: RunSide): StepComparison['outcomes'] {
  const outcome = (side: 0 | 1): Outcome | 'absent' =>
    lastVisit(side === 0 ? a : b, path)?.ending.type ?? (present[side].has(path) ? 'open' : 'absent');
  return [outcome(0), outcome(1)];
}

/** `a`, `a/b`, `a/b/c`. */
function beginnings(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
