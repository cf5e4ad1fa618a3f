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

/** The numbers behind the last id: of the item of a foreach, then of the round of a repeat; none for the step itself. */
export function numbersAtEnd(path: StepPath): number[] {
  const [end = ''] = /(?:\/\d+)*$/.exec(path) ?? [];
  return end.split('/').slice(1).map(Number);
}

/** Whether it is this step, or stands in it. @param ids of the step, with those of the groups around it; '' for the whole run */
export function isBelow(path: StepPath, ids: string): boolean {
  return ids === '' || `${idsOf(path)}/`.startsWith(`${ids}/`);
}
