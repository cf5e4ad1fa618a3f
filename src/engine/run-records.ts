/** Reads a run's records, for what compares attempts or runs. */
import fs from 'node:fs';
import type { Recorded } from '../core/events.js';
import type { Json } from '../core/json.js';
import type { RunRecords } from '../core/run-records.js';
import { realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { readJournal } from './journal.js';
import { originsOf } from './origin.js';
import { runDirAt } from './run-dir.js';

/** @param dir the absolute run folder */
export function readRecords(dir: string): RunRecords {
  const runDir = runDirAt(dir);
  const blobs = createBlobs(runDir.blobs, realFiles);
  const all = (file: string) => {
    const records: Recorded[] = [];
    if (fs.existsSync(file)) readJournal(file, blobs, (record) => records.push(record));
    return records;
  };
  return {
    origin: originsOf(runDir).flatMap(all),
    records: all(runDir.journal),
    sideFile(hash) {
      try {
        return JSON.parse(blobs.read(hash).toString()) as Json;
      } catch {
        return undefined;
      }
    },
  };
}
