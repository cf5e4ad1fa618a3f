/** Removes run folders: each is first set aside under a name that is no run's, so that a crash leaves no half run that looks whole. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../core/faults.js';
import { syncFolder } from '../files/atomic-write.js';
import { errorCode } from '../files/layer.js';
import { type Lock, lockHolder, takeLock } from './lock.js';
import { runDirAt } from './run-dir.js';
import { pointLatest, runsOf } from './run-file.js';

/** Of what is being removed, or was when a process died. */
const ASIDE = '.removed-';

export interface FolderSize {
  /** Links among them; none is followed. */
  readonly files: number;
  readonly bytes: number;
}

/** What cannot be read counts nothing. */
export function sizeOf(dir: string): FolderSize {
  let files = 0;
  let bytes = 0;
  for (const entry of entriesOf(dir)) {
    const path = join(dir, entry.name);
    const size = entry.isDirectory()
      ? sizeOf(path)
      : { files: 1, bytes: fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0 };
    files += size.files;
    bytes += size.bytes;
  }
  return { files, bytes };
}

/**
 * Throws `run.in_use` while a live process works on it; then nothing was touched. After any other fault it may be set aside.
 * @param dir absolute: `skill_run/<skill>/<slug>`, no link
 */
export async function removeRun(dir: string): Promise<void> {
  const skillRunDir = dirname(dir);
  const aside = join(skillRunDir, `${ASIDE}${basename(dir)}-${randomBytes(4).toString('hex')}`);
  const lock = lockIfRoom(dir);
  try {
    fs.renameSync(dir, aside);
  } catch (error) {
    lock?.release();
    throw error;
  }
  syncFolder(skillRunDir);
  mendLatest(skillRunDir);
  const problem = await removeAside(aside);
  if (problem === undefined) return;
  throw new Fault('run.storage', `It is no run any more, but not all of it could be removed: ${problem}`, {
    hint: 'Mend that; the next `pipeline runs rm` or `prune` removes the rest.',
  });
}

/** A full disk takes no lock, and is mended by this very removal: then it is enough that nobody is at work. */
function lockIfRoom(dir: string): Lock | undefined {
  try {
    return takeLock(dir);
  } catch (error) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
    if (!isFull || lockHolder(dir)) throw error;
    return undefined;
  }
}

/** Removes what removals that were cut off have set aside, in all skills' folders. @returns a line for each folder that still cannot go */
export async function removeLeftovers(
  root: string,
): Promise<{ readonly removed: number; readonly problems: string[] }> {
  const problems: string[] = [];
  let removed = 0;
  for (const skill of entriesOf(root).filter((entry) => entry.isDirectory())) {
    const skillRunDir = join(root, skill.name);
    const aside = entriesOf(skillRunDir).filter((entry) => entry.isDirectory() && entry.name.startsWith(ASIDE));
    for (const { name } of aside) {
      const problem = await removeAside(join(skillRunDir, name));
      if (problem === undefined) removed++;
      else problems.push(problem);
    }
    if (aside.length > 0) mendLatest(skillRunDir);
  }
  return { removed, problems };
}

/** What makes it a run goes first. @returns why not all of it could go */
async function removeAside(aside: string): Promise<string | undefined> {
  const { journal, runJson } = runDirAt(aside);
  try {
    await removeTree(journal);
    await removeTree(runJson);
    await removeTree(aside);
    return undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return (error as Error).message;
  }
}

/** Links are removed, never followed. A step may have made folders that nobody may write to. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
    openFolders(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function openFolders(path: string): void {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  fs.chmodSync(path, 0o700);
  for (const entry of entriesOf(path)) if (entry.isDirectory()) openFolders(join(path, entry.name));
}

/** Where `latest` has lost its run it names the newest of those that are left. */
function mendLatest(skillRunDir: string): void {
  const link = join(skillRunDir, 'latest');
  if (!fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() || fs.existsSync(link)) return;
  const [newest] = runsOf(skillRunDir);
  if (newest) pointLatest(skillRunDir, basename(newest.dir));
  else fs.rmSync(link, { force: true });
}

function entriesOf(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
