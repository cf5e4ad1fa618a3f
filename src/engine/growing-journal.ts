/** The records of a journal that another process may be writing: those that came since the last look. */
import { dirname } from 'node:path';
import type { Recorded } from '../core/events.js';
import { realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { growingFile } from './growing-file.js';
import { damaged, decode, refuseNewer, wholeOf } from './journal-line.js';
import { runDirAt } from './run-dir.js';

export interface GrowingJournal {
  /** Throws `run.journal` for a line in the midst that is none of ours, and for a journal of a later version. */
  read(): Recorded[];
}

export function growingJournal(file: string): GrowingJournal {
  const growing = growingFile(() => file);
  const blobs = createBlobs(runDirAt(dirname(file)).blobs, realFiles);
  let lastSeq = 0;
  /** Whole, but no record: the last line may be what a crash left, which a resume cuts off. */
  let broken = false;
  return {
    read() {
      const records: Recorded[] = [];
      for (const line of growing.lines()) {
        const record = decode(line.toString('utf8'));
        const event = record && wholeOf(record, blobs);
        if (!event) {
          broken = true;
          continue;
        }
        if (broken && event.seq !== lastSeq + 1) throw damaged(file, lastSeq + 1);
        refuseNewer(event, file);
        broken = false;
        lastSeq = event.seq;
        records.push(event);
      }
      return records;
    },
  };
}
