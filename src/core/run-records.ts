/** A run's records as they stand in its journal, with the side files that they name. */
import type { Recorded } from './events.js';
import type { Json } from './json.js';

export interface RunRecords {
  /** Of the runs that this one was forked from, the oldest first; empty for any other. */
  readonly origin: readonly Recorded[];
  readonly records: readonly Recorded[];
  /** The JSON of a side file; undefined if it is gone or damaged. */
  sideFile(hash: string): Json | undefined;
}
