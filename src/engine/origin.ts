/** What a forked run knows of the run that it came from: its journals, its files by content, what its steps left to read. */
import fs from 'node:fs';
import { join } from 'node:path';
import { realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { readJournal } from './journal.js';
import type { Past } from './past.js';
import type { RunDir } from './run-dir.js';

/** What of a step's folder is worth reading in the fork; never an answer of a person, nor a work folder. */
const READABLE = new Set(['prompt.md', 'transcript.ndjson', 'stdout.log', 'stderr.log', 'output.txt', '.inputs.json']);

/** @param into a new run's, still empty */
export function copyOrigin(from: RunDir, into: RunDir): void {
  fs.mkdirSync(into.origins, { recursive: true, mode: 0o700 });
  const journals = [...originsOf(from), from.journal];
  for (const [at, journal] of journals.entries()) {
    fs.copyFileSync(journal, join(into.origins, `${String(at + 1).padStart(4, '0')}.ndjson`));
  }
  if (fs.existsSync(from.blobs)) copyTree(from.blobs, into.blobs, () => true);
  copyTree(from.step('').dir, into.step('').dir, (name) => READABLE.has(name));
}

/** Finished results only: what was begun, published or spent there is no matter of this run. */
export function rememberOrigins(runDir: RunDir, past: Past): void {
  const blobs = createBlobs(runDir.blobs, realFiles);
  for (const journal of originsOf(runDir)) {
    readJournal(journal, blobs, (record) => {
      if (record.type === 'step_started' && record.key !== '') {
        past.lastKeys.set(record.path, { parts: record.parts, outcome: 'done' });
      }
      if ((record.type !== 'step_done' && record.type !== 'step_reused') || record.key === '') return;
      const { path, family = path, reads = [] } = record;
      past.add({ ...record, reads }, family);
    });
  }
}

/** Absolute paths, the oldest first. */
export function originsOf({ origins }: RunDir): string[] {
  if (!fs.existsSync(origins)) return [];
  return fs
    .readdirSync(origins)
    .sort()
    .map((name) => join(origins, name));
}

/** Folders that begin with a dot, and those of work and of attempts, are left out below the first level. */
function copyTree(from: string, into: string, wanted: (name: string) => boolean): void {
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const { name } = entry;
    const source = join(from, name);
    if (entry.isDirectory()) {
      if (!name.startsWith('.') && name !== 'work' && name !== 'attempts') copyTree(source, join(into, name), wanted);
    } else if (entry.isFile() && wanted(name)) {
      fs.mkdirSync(into, { recursive: true, mode: 0o700 });
      fs.copyFileSync(source, join(into, name), fs.constants.COPYFILE_FICLONE);
    }
  }
}
