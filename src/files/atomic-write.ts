/** Files that are there whole or not at all: a temporary file in the same folder, renamed. */
import { randomBytes } from 'node:crypto';
import fs, { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, type FileLayer, realFiles, writeAll } from './layer.js';

export interface AtomicOptions {
  /** Permission bits; 0600 unless given. */
  readonly mode?: number;
  /** Synced before it is renamed, the folder after it: survives a power cut. */
  readonly durable: boolean;
  readonly files?: FileLayer;
}

/** Replaces what is there; a link is replaced, not followed. On any error the old content stays. */
export function writeFileAtomic(path: string, bytes: string | Uint8Array, options: AtomicOptions): void {
  const { files = realFiles, mode = 0o600, durable } = options;
  const temporary = temporaryBeside(path);
  replace(files, temporary, path, durable, () => {
    const fd = files.open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
    try {
      writeAll(files, fd, typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
      if (durable) files.fsync(fd);
    } finally {
      files.close(fd);
    }
  });
}

/** Clones where the file system can. `from` must be a regular file that the caller has vetted. */
export function copyFileAtomic(from: string, to: string, options: AtomicOptions): void {
  const { files = realFiles, mode = 0o600, durable } = options;
  const temporary = temporaryBeside(to);
  replace(files, temporary, to, durable, () => {
    files.copy(from, temporary);
    files.chmod(temporary, mode);
    if (durable) syncPath(files, temporary, constants.O_RDONLY);
  });
}

/** Makes the folder with its parents, 0700; what is there stays as it is. */
export function ensureDir(path: string, options: { readonly files?: FileLayer; readonly mode?: number } = {}): void {
  const { files = realFiles, mode = 0o700 } = options;
  try {
    files.mkdir(path, mode);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    ensureDir(dirname(path), options);
    ensureDir(path, options);
  }
}

/** After it, names that were made or removed in the folder survive a power cut. */
export function syncFolder(path: string, files: FileLayer = realFiles): void {
  const fd = files.open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    syncOpenFolder(fd, files);
  } finally {
    files.close(fd);
  }
}

/** The same of one that is open. */
export function syncOpenFolder(fd: number, files: FileLayer = realFiles): void {
  try {
    files.fsync(fd);
  } catch (error) {
    // Some file systems cannot sync a folder; then there is nothing more to do.
    if (!['EINVAL', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** Removes the temporary files of processes that died, in the folder and, if it is told so, below it; links are not followed. */
export function removeTemporaries(
  folder: string,
  options: { readonly below: boolean; readonly files?: FileLayer },
): void {
  const { files = realFiles, below } = options;
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (below && !entry.name.startsWith('.')) removeTemporaries(path, options);
    } else if (TEMPORARY.test(entry.name)) files.unlink(path);
  }
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/;

/** Half of it is drawn once a thread, half is counted from where it was drawn. */
const drawn = randomBytes(8);
const start = drawn.toString('hex', 0, 4);
let count = drawn.readUInt32BE(4);

/** Short, whatever the length of the name it stands for; see `TEMPORARY`. */
function temporaryBeside(path: string): string {
  count = (count + 1) >>> 0;
  return join(dirname(path), `.${start}${count.toString(16).padStart(8, '0')}.tmp`);
}

function replace(files: FileLayer, temporary: string, path: string, durable: boolean, make: () => void): void {
  try {
    make();
    files.rename(temporary, path);
  } catch (error) {
    try {
      files.unlink(temporary);
    } catch {
      // It was never made; the first error is the one to tell.
    }
    throw error;
  }
  if (durable) syncFolder(dirname(path), files);
}

function syncPath(files: FileLayer, path: string, flags: number): void {
  const fd = files.open(path, flags);
  try {
    files.fsync(fd);
  } finally {
    files.close(fd);
  }
}
