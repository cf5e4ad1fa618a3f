/** What a power cut takes away: what no sync has brought to the disk, and the records that were in it. */
import { isObject, jsonIn } from '../../core/json.js';
import { isDurable } from '../../engine/recorder.js';
import type { Disk } from '../disk/disk.js';
import type { SessionFacts } from '../run-facts.js';
import type { Say } from './broken.js';

/** @returns the number of the last record that is still in the run's journal; 0 for none */
export function lastRecordOn(disk: Disk, journal: string): number {
  let last = 0;
  if (!disk.stat(journal, true)?.isFile()) return last;
  for (const line of disk.readFile(journal).toString().split('\n')) {
    const seq = seqOf(line);
    if (seq === undefined) break;
    last = seq;
  }
  return last;
}

function seqOf(line: string): number | undefined {
  const record = jsonIn(line);
  return isObject(record) && typeof record.seq === 'number' ? record.seq : undefined;
}

/** The session without the records that are gone: nobody can know of them any more. Says which had been promised to stay. */
export function withoutLost(session: SessionFacts, last: number, say: Say): SessionFacts {
  const promised = session.events.findLast((event) => event.seq > last && isDurable(event));
  if (promised) say('journal', `${promised.type} had been synced, and is gone after a power cut`);
  return { ...session, events: session.events.filter(({ seq }) => seq <= last) };
}
