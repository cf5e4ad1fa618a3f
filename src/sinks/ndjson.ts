/** The records of a run as lines of JSON, as they come: `--events ndjson`. */
import type { Sink } from '../core/events.js';

/** @param write one line, without its line break; where nobody reads any more it does nothing */
export function ndjsonSink(write: (line: string) => void): Sink {
  return { write: (event) => write(JSON.stringify(event)) };
}
