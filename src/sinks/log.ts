/** pipeline.log: one line per event, appended over all runs of a skill; if it cannot be written, the run goes on without. */
import fs from 'node:fs';
import type { Recorded, Sink } from '../core/events.js';

/** @param file absolute
 *  @param onUnwritable told once, with the reason */
export function logSink(file: string, slug: string, onUnwritable: (reason: string) => void): Sink {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, 'a', 0o600);
  } catch (error) {
    onUnwritable(error instanceof Error ? error.message : String(error));
  }
  return {
    write(event) {
      if (fd === undefined) return;
      try {
        fs.writeSync(fd, `${event.at} ${slug} ${lineOf(event)}\n`);
      } catch (error) {
        onUnwritable(error instanceof Error ? error.message : String(error));
        fd = undefined;
      }
    },
    async close() {
      if (fd !== undefined) fs.closeSync(fd);
    },
  };
}

/** What is long, of whichever event. */
const WITHOUT = {
  output: undefined,
  parts: undefined,
  result: undefined,
  artifacts: undefined,
  reads: undefined,
  steps: undefined,
};

/** The event's type, its step, and the rest as JSON without what is long. */
function lineOf(event: Recorded): string {
  const { type, seq: _seq, at: _at, ...rest } = event;
  const brief = JSON.stringify(Object.assign(rest, WITHOUT));
  return `${type} ${brief.length > 2_000 ? `${brief.slice(0, 2_000)}…` : brief}`;
}
