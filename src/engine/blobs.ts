/** Files of a run by their content: what steps left behind and large outputs, so that a result can be published again. */
import { createHash } from 'node:crypto';
import fs, { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../core/json.js';
import { copyFileAtomic, ensureDir, syncFolder, writeFileAtomic } from '../files/atomic-write.js';
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
  /** Puts a copy there by rename; false when the same bytes are there already. */
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
  const ensure = () => {
    if (!made) ensureDir(dir, { files });
    made = true;
    unsynced = true;
  };
  return {
    putBytes(bytes) {
      const hash = sha256(bytes);
      ensure();
      if (hashFile(pathOf(hash))?.sha256 !== hash) writeFileAtomic(pathOf(hash), bytes, { durable: false, files });
      syncFile(pathOf(hash), files);
      return hash;
    },
    noteBytes(bytes) {
      const hash = sha256(bytes);
      if (noted.has(hash)) return hash;
      if (!made) ensureDir(dir, { files });
      made = true;
      if (!fs.existsSync(pathOf(hash))) writeFileAtomic(pathOf(hash), bytes, { durable: false, files });
      noted.add(hash);
      return hash;
    },
    putFile(file) {
      const found = hashFile(file);
      if (!found) throw new Error(`${file} is gone`);
      ensure();
      const to = pathOf(found.sha256);
      if (hashFile(to)?.sha256 !== found.sha256) {
        fs.rmSync(to, { force: true });
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
      ensureDir(dirname(file), { files });
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
  const fd = files.open(file, constants.O_RDONLY);
  try {
    files.fsync(fd);
  } finally {
    files.close(fd);
  }
}

/** Of a regular file, read piece by piece; undefined for anything else. */
export function hashFile(file: string): Blob | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const executable = (stat.mode & 0o100) !== 0;
  const hash = createHash('sha256');
  const fd = fs.openSync(file, 'r');
  let bytes = 0;
  try {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stat.size + 1));
    for (let count = fs.readSync(fd, chunk); count > 0; count = fs.readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, count));
      bytes += count;
    }
  } finally {
    fs.closeSync(fd);
  }
  return { sha256: hash.digest('hex'), bytes, executable };
}
