/** Reads files of a run folder for a report: the beginning of what is large, no links, no secrets. */
import fs, { constants } from 'node:fs';
import { join } from 'node:path';
import type { Redactor } from '../core/secrets.js';
import type { Excerpt } from './view.js';

export interface RunFiles {
  /** Names of what is in a folder; none if it is not there. */
  namesIn(path: string): readonly string[];
  /** Undefined if there is no such file, or it is empty. @param path in the run folder */
  excerpt(path: string, mostBytes: number): Excerpt | undefined;
  /** All bytes of a file; undefined if it is not there, is larger, or holds a secret. */
  bytes(path: string, mostBytes: number): Uint8Array | undefined;
  /** A text that no redactor has seen yet. */
  clean(text: string): string;
}

/** @param dir absolute */
export function createRunFiles(dir: string, redactor: Redactor | undefined): RunFiles {
  const root = fs.realpathSync.native(dir);
  const clean = (text: string) => redactor?.text(text) ?? text;
  return {
    clean,
    namesIn(path) {
      try {
        return fs.readdirSync(join(root, path));
      } catch {
        return [];
      }
    },
    excerpt(path, mostBytes) {
      const read = beginning(root, path, mostBytes);
      if (!read || read.size === 0) return undefined;
      const { bytes, size } = read;
      const isWhole = bytes.length === size;
      // The ellipsis tells the redactor where a secret may be cut.
      const text = isWhole ? bytes.toString('utf8') : `${wholeCharacters(bytes)}…`;
      return { text: clean(text), file: path, bytes: size, isWhole };
    },
    bytes(path, mostBytes) {
      const read = beginning(root, path, mostBytes);
      if (!read || read.size > mostBytes || read.size === 0) return undefined;
      return redactor?.search()(read.bytes) === undefined ? read.bytes : undefined;
    },
  };
}

/** Of a regular file that stands where its path says. */
function beginning(root: string, path: string, mostBytes: number): { bytes: Buffer; size: number } | undefined {
  const file = join(root, path);
  let fd: number;
  try {
    fd = fs.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || !standsThere(path, file)) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, mostBytes));
    const read = fs.readSync(fd, bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, read), size: stat.size };
  } catch {
    return undefined;
  } finally {
    fs.closeSync(fd);
  }
}

/** Folders of what was published may have been replaced by links since; those of steps are the runner's own. */
function standsThere(path: string, file: string): boolean {
  return path.startsWith('.steps/') || fs.realpathSync.native(file) === file;
}

/** Without half a character at the end. */
function wholeCharacters(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\uFFFD$/, '');
}
