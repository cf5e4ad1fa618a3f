/** How long a loop over items goes on, by the items that it has done: nothing where too few are done to say. */
import type { StepPath } from '../../core/outcome.js';
import type { OpenItems, Progress } from './progress.js';
import { nameOf } from './told.js';

export interface Forecast {
  /** Of the loop. */
  readonly name: string;
  /** Items done in this session, by which it is said. */
  readonly by: number;
  readonly ms: number;
  /** That the rest of the items will use. */
  readonly tokens: number;
}

const LEAST_DONE = 3;

/** Of the loop that takes longest. Elapsed time over items done has in it how many run at once. */
export function forecast({ items }: Progress, now: number): Forecast | undefined {
  const all = [...items].flatMap(([path, loop]) => forecastOf(path, loop, now));
  return all.reduce<Forecast | undefined>(
    (longest, one) => (longest && longest.ms >= one.ms ? longest : one),
    undefined,
  );
}

function forecastOf(path: StepPath, { count, settled, reused, begunAt, figures }: OpenItems, now: number): Forecast[] {
  const by = settled - reused;
  const rest = count - settled;
  if (by < LEAST_DONE || rest <= 0 || begunAt === undefined) return [];
  return [{ name: nameOf(path), by, ms: ((now - begunAt) / by) * rest, tokens: (figures.tokens / by) * rest }];
}
