/** The files that a run made, as they became known, the newest last. */
import { writtenBy } from '../core/driver-files.js';
import type { Recorded } from '../core/events.js';

export interface MadeFiles {
  /** Relative to the run folder. */
  readonly newest: readonly string[];
  readonly count: number;
}

const MOST_NEWEST = 3;
/** More than these are counted as they come, twice where one takes the place of another. */
const MOST_KNOWN = 2_000;

export function madeFiles(): { see(event: Recorded): void; made(): MadeFiles } {
  const known = new Set<string>();
  let beyond = 0;
  let newest: string[] = [];
  return {
    see(event) {
      if (event.type !== 'step_done' && event.type !== 'step_reused') return;
      for (const path of [...event.artifacts.map((one) => one.path), ...writtenBy(event.path, event.output)]) {
        if (known.size < MOST_KNOWN) known.add(path);
        else if (!known.has(path)) beyond++;
        newest = [...newest.filter((one) => one !== path), path].slice(-MOST_NEWEST);
      }
    },
    made: () => ({ newest, count: known.size + beyond }),
  };
}
