/** Step paths such as `rounds/2/audit` or `search/3`: which step of the plan they are. */
import type { StepPath } from './outcome.js';

/** The ids alone, without the numbers of items and rounds: the step's place in the plan. Ids begin with a letter. */
export function idsOf(path: StepPath): string {
  if (!/\d/.test(path)) return path;
  return path
    .split('/')
    .filter((part) => !/^\d+$/.test(part))
    .join('/');
}
