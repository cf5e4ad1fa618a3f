/** Files of a run by their content: what steps left behind and large outputs, so that a result can be published again. */
import { createHash } from 'node:crypto';
import fs, { constants } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../core/json.js';
import { copyFileAtomic, ensureDir, removeTemporaries, syncFolder, writeFileAtomic } from '../files/atomic-write.js';
import { errorCode, type FileLayer } from '../files/layer.js';

export interface Blob {
  readonly sha256: string;
  readonly bytes: number;
  readonly executable: boolean;
}

export interface Blobs {
  /** Returns the hash. */
  putBytes(bytes: Uint8Array): string;
  /** For what only explains, and may be lost in a power cut. Returns the hash. */
  noteBytes(bytes: Uint8Array): string;
  /** Keeps the file's content; the file stays where it is. */
  putFile(file: string): Blob;
  /** After it, what was put survives a power cut. */
  sync(): void;
  /** Throws when the blob is missing or damaged. */
  read(hash: string): Buffer;
  /** Puts a copy there by rename, in a folder that is there; false when the same bytes are there already. */
  copyTo(hash: string, file: string, executable: boolean): boolean;
  /** Whether the bytes are still what the hash says. */
  has(hash: string): boolean;
}

const CHUNK_BYTES = 1024 * 1024;

/** @param dir absolute; made at the first put */
export function createBlobs(dir: string, files: FileLayer): Blobs {
  const pathOf = (hash: string) => join(dir, hash);
  let made = false;
  let unsynced = false;
  const noted = new Set<string>();
  const make = () => {
    if (made) return;
    ensureDir(dir, { files });
    // What the process of an earlier session was writing when it died.
    removeTemporaries(dir, { below: false, files });
    made = true;
  };
  return {
    putBytes(bytes) {
      const hash = sha256(bytes);
      make();
      unsynced = true;
      if (hashFile(pathOf(hash))?.sha256 !== hash) writeFileAtomic(pathOf(hash), bytes, { durable: false, files });
      syncFile(pathOf(hash), files);
      return hash;
    },
    noteBytes(bytes) {
      const hash = sha256(bytes);
      if (noted.has(hash)) return hash;
      make();
      if (!fs.existsSync(pathOf(hash))) writeFileAtomic(pathOf(hash), bytes, { durable: false, files });
      noted.add(hash);
      return hash;
    },
    putFile(file) {
      const found = hashFile(file);
      if (!found) throw new Error(`${file} is gone`);
      make();
      unsynced = true;
      const to = pathOf(found.sha256);
      if (hashFile(to)?.sha256 !== found.sha256) {
        if (fs.lstatSync(to, { throwIfNoEntry: false })) files.unlink(to);
        keep(file, to, files);
      }
      return found;
    },
    sync() {
      if (unsynced) syncFolder(dir, files);
      unsynced = false;
    },
    read(hash) {
      const bytes = fs.readFileSync(pathOf(hash));
      if (sha256(bytes) !== hash) throw new Error(`the stored file ${hash} is damaged`);
      return bytes;
    },
    copyTo(hash, file, executable) {
      const mode = executable ? 0o700 : 0o600;
      const there = hashFile(file);
      if (there?.sha256 === hash) {
        if (there.executable !== executable) files.chmod(file, mode);
        return false;
      }
      copyFileAtomic(pathOf(hash), file, { mode, durable: false, files });
      return true;
    },
    has: (hash) => hashFile(pathOf(hash))?.sha256 === hash,
  };
}

/** A second name for the same bytes where the file system can, else a copy. */
function keep(file: string, to: string, files: FileLayer): void {
  syncFile(file, files);
  try {
    files.link(file, to);
  } catch (error) {
    if (errorCode(error) === 'ENOSPC' || errorCode(error) === 'EDQUOT') throw error;
    copyFileAtomic(file, to, { durable: true, files });
  }
}

export function syncFile(file: string, files: FileLayer): void {
  const fd = files.open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    files.fsync(fd);
  } finally {
    files.close(fd);
  }
}

/** Of a regular file, read piece by piece; undefined for anything else. */
export function hashFile(file: string): Blob | undefined {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const hash = createHash('sha256');
  // A link or a pipe that takes the file's place now is not followed, nor waited for.
  const fd = openIfThere(file);
  if (fd === undefined) return undefined;
  let bytes = 0;
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const executable = (stat.mode & 0o100) !== 0;
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stat.size + 1));
    for (let count = fs.readSync(fd, chunk); count > 0; count = fs.readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, count));
      bytes += count;
    }
    return { sha256: hash.digest('hex'), bytes, executable };
  } finally {
    fs.closeSync(fd);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return fs.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}
