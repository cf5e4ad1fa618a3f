/** What an attempt at a step left on disk: which folder is its own, which files are in it. A run that goes on meanwhile may take them away. */
import fs from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../files/layer.js';
import type { AttemptRecord } from './read-attempts.js';
import type { StepDir } from './run-dir.js';

export interface LeftFiles {
  /** The first of them by name; paths below the work folder. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Of those that are not listed. */
  readonly moreFiles: number;
}

const MOST_FILES = 100;

/** Absolute. Undefined for an attempt that left nothing, or whose folder is not known for certain. */
export function folderOfAttempt(step: StepDir, attempts: readonly AttemptRecord[], at: number): string | undefined {
  const folder = at === attempts.length - 1 ? step.dir : earlierFolder(step, attempts, at);
  return folder !== undefined && fs.existsSync(folder) ? folder : undefined;
}

/** Of the work folder of an attempt. */
export function filesIn(work: string): LeftFiles {
  const paths = entriesOf(work, true)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const files = paths.slice(0, MOST_FILES).flatMap((file) => {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    return stats ? [{ path: file.slice(work.length + 1), bytes: stats.size }] : [];
  });
  return { files, moreFiles: Math.max(0, paths.length - MOST_FILES) };
}

/** They are numbered in the order in which attempts left something; where some left nothing, by the time of what is in them. */
function earlierFolder({ attempts: root }: StepDir, attempts: readonly AttemptRecord[], at: number) {
  const folders = entriesOf(root)
    .map(({ name }) => name)
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(root, name));
  if (folders.length === attempts.length - 1) return folders[at];
  const [from, to] = [attempts[at]?.began ?? '', attempts[at + 1]?.began ?? ''].map(Date.parse);
  return folders.find((folder) => {
    const ms = newestMs(folder);
    return from !== undefined && to !== undefined && ms >= from && ms <= to;
  });
}

function newestMs(folder: string): number {
  const files = entriesOf(folder).filter((entry) => entry.isFile());
  return Math.max(
    0,
    ...files.map(({ name }) => fs.lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

function entriesOf(folder: string, recursive = false): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { recursive, withFileTypes: true, encoding: 'utf8' });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
