/** Trials that run side by side, each with its number; what they say against the promise is gathered. */
import type { Figure } from './row.js';

/** Faults that are kept; a row without its guard may break in every trial. */
const MOST_FAULTS = 50;

/** @param trial gives what broke the promise, or nothing; one that throws has broken it */
export async function trials(
  count: number,
  atOnce: number,
  trial: (index: number) => Promise<string | readonly string[] | undefined>,
): Promise<Figure> {
  const faults: string[] = [];
  let next = 0;
  let tried = 0;
  const work = async () => {
    while (next < count && faults.length < MOST_FAULTS) {
      const index = next++;
      const found = await trial(index).catch((error: unknown) => `${error instanceof Error ? error.stack : error}`);
      tried++;
      for (const fault of found === undefined ? [] : [found].flat()) faults.push(`trial ${index}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { tried, faults };
}
