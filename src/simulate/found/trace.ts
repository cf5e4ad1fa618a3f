/** What happened in a run, event by event, as `--trace` prints it. */
import type { Recorded } from '../../core/events.js';
import { beginningOf } from '../../core/excerpt.js';
import type { SimulatedRun } from '../run-facts.js';

/** Of an output, a reason, a text. */
const WIDEST = 160;

export function traceOf({ sessions }: SimulatedRun): string[] {
  return sessions.flatMap(({ events, end, isPowerLost }, number) => [
    ...(number > 0 ? [`-- session ${number + 1}`] : []),
    ...events.map(lineOf),
    ...(end.type === 'killed' ? [`-- ${isPowerLost ? 'the power failed' : 'killed'} at operation ${end.at}`] : []),
    ...(end.type === 'hung' ? ['-- it hangs'] : []),
  ]);
}

function lineOf(event: Recorded): string {
  const { seq, at, type, ...rest } = event;
  const path = 'path' in event ? ` ${event.path}` : '';
  return `${String(seq).padStart(4)} ${at.slice(11, 23)} ${type}${path}${detailOf(rest)}`;
}

function detailOf(event: object): string {
  const one = event as Readonly<Record<string, unknown>>;
  const fault = one.fault as { code: string; message: string } | undefined;
  if (fault) return ` ${fault.code}: ${fault.message}`;
  for (const key of ['output', 'reason', 'problems', 'status', 'text', 'calls', 'count', 'name']) {
    if (one[key] !== undefined) return ` ${key} ${beginningOf(JSON.stringify(one[key]), WIDEST)}`;
  }
  return '';
}
