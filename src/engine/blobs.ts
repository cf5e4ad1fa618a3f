/** Files of a run by their content: what steps left behind and large outputs, so that a result can be published again. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../core/json.js';
import { copyFileAtomic, ensureDir, writeFileAtomic } from '../files/atomic-write.js';

export interface Blobs {
  /** Returns the hash. */
  putBytes(bytes: Uint8Array): string;
  /** Takes the file over: it is gone from where it was. */
  putFile(file: string): { readonly sha256: string; readonly bytes: number; readonly executable: boolean };
  /** Throws when the blob is missing or damaged. */
  read(hash: string): Buffer;
  /** Puts a copy there by rename, unless the same bytes are there already. */
  copyTo(hash: string, file: string, executable: boolean): void;
  /** Whether the bytes are still what the hash says. */
  has(hash: string): boolean;
}

/** @param dir absolute; made at the first put */
export function createBlobs(dir: string): Blobs {
  const pathOf = (hash: string) => join(dir, hash);
  let made = false;
  const ensure = () => {
    if (made) return;
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    made = true;
  };
  const read = (hash: string) => {
    const bytes = fs.readFileSync(pathOf(hash));
    if (sha256(bytes) !== hash) throw new Error(`the stored file ${hash} is damaged`);
    return bytes;
  };
  return {
    putBytes(bytes) {
      const hash = sha256(bytes);
      ensure();
      if (!sameSize(pathOf(hash), bytes.length)) writeFileAtomic(pathOf(hash), bytes, { mode: 0o600, durable: true });
      return hash;
    },
    putFile(file) {
      const bytes = fs.readFileSync(file);
      const hash = sha256(bytes);
      const executable = (fs.statSync(file).mode & 0o100) !== 0;
      ensure();
      if (sameSize(pathOf(hash), bytes.length)) fs.unlinkSync(file);
      else takeOver(file, pathOf(hash));
      return { sha256: hash, bytes: bytes.length, executable };
    },
    read,
    copyTo(hash, file, executable) {
      const mode = executable ? 0o700 : 0o600;
      if (alreadyThere(file, hash)) {
        fs.chmodSync(file, mode);
        return;
      }
      ensureDir(dirname(file));
      copyFileAtomic(pathOf(hash), file, { mode, durable: false });
    },
    has(hash) {
      try {
        read(hash);
        return true;
      } catch {
        return false;
      }
    },
  };
}

function takeOver(file: string, to: string): void {
  const fd = fs.openSync(file, 'r');
  try {
    fs.fchmodSync(fd, 0o600);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(file, to);
}

function sameSize(file: string, bytes: number): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === bytes;
}

function alreadyThere(file: string, hash: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && sha256(fs.readFileSync(file)) === hash;
}
