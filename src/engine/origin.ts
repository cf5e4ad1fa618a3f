/** What a forked run knows of the run that it came from: its journals, its files by content, what its steps left to read. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Recorded } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import { errorCode, realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { readJournal } from './journal.js';
import type { Past } from './past.js';
import type { RunDir } from './run-dir.js';

/** What of a step's folder is worth reading in the fork; never an answer of a person, nor a work folder. */
const READABLE = ['prompt.md', 'transcript.ndjson', 'stdout.log', 'stderr.log'];

/** @param into a new run's, still empty */
export function copyOrigin(from: RunDir, into: RunDir): void {
  const journals = [...originsOf(from), from.journal];
  const paths = new Set<StepPath>();
  eachRecord(journals, from, (record) => {
    if (record.type === 'step_started') paths.add(record.path);
  });
  fs.mkdirSync(into.origins, { recursive: true, mode: 0o700 });
  for (const [at, journal] of journals.entries()) {
    fs.copyFileSync(journal, join(into.origins, `${String(at + 1).padStart(4, '0')}.ndjson`));
  }
  const blobs = fs.existsSync(from.blobs) ? fs.readdirSync(from.blobs) : [];
  for (const name of blobs) copyIfThere(join(from.blobs, name), join(into.blobs, name));
  for (const path of paths) {
    for (const name of READABLE) copyIfThere(join(from.step(path).dir, name), join(into.step(path).dir, name));
  }
}

/** Finished results, and attempts of which nobody knows how they ended; what was published or spent there is no matter of this run. */
export function rememberOrigins(runDir: RunDir, past: Past): void {
  eachRecord(originsOf(runDir), runDir, (record) => {
    switch (record.type) {
      case 'step_started': {
        const { path, family = path, key, parts } = record;
        if (key === '') return;
        past.inherited.begin({ path, family }, key);
        past.lastKeys.set(path, { parts, outcome: 'done' });
        return;
      }
      case 'step_done':
      case 'step_reused': {
        const { path, family = path, key, reads = [] } = record;
        if (key === '') return;
        past.inherited.settle({ path, family }, key);
        past.add({ ...record, reads }, family);
        return;
      }
      case 'step_failed':
      case 'step_ended': {
        const { path, family = path, key } = record;
        if (key !== undefined) past.inherited.settle({ path, family }, key);
        return;
      }
      default:
        return;
    }
  });
}

function eachRecord(journals: readonly string[], { blobs }: RunDir, onRecord: (record: Recorded) => void): void {
  const kept = createBlobs(blobs, realFiles);
  for (const journal of journals) readJournal(journal, kept, onRecord);
}

/** Absolute paths, the oldest first. */
export function originsOf({ origins }: RunDir): string[] {
  if (!fs.existsSync(origins)) return [];
  return fs
    .readdirSync(origins)
    .sort()
    .map((name) => join(origins, name));
}

/** A run that still goes on moves what an earlier attempt left. */
function copyIfThere(from: string, to: string): void {
  if (!fs.lstatSync(from, { throwIfNoEntry: false })?.isFile()) return;
  fs.mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
