/** The `files` of an agent: text files of the run or the skill as sections after the prompt. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { Fault } from '../core/faults.js';
import { sha256 } from '../core/json.js';
import { openRead } from '../files/folder.js';

/** Of one file. */
const MAX_BYTES = 256 * 1024;
/** Larger ones are refused: their whole content counts in the step's key. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface AddedFiles {
  readonly text: string;
  /** Absolute paths, with the hashes of the whole files. */
  readonly reads: readonly { readonly file: string; readonly sha256: string }[];
}

/** @param roots absolute folders, in the order in which a relative path is looked for. Throws `step.path`. */
export function addFiles(files: readonly string[], roots: readonly string[]): AddedFiles {
  const added = files.map((file) => ({ file, ...readText(file, roots) }));
  return {
    text: added.map(({ file, text }) => `\n\n## File: ${file}\n\n${text}`).join(''),
    reads: added.map(({ path, sha256 }) => ({ file: path, sha256 })),
  };
}

function readText(file: string, roots: readonly string[]): { text: string; path: string; sha256: string } {
  const { fd, path } = opened(file, roots);
  try {
    const { size } = fstatSync(fd);
    if (size > MAX_FILE_BYTES) throw refused(file, `it has ${size} bytes; at most ${MAX_FILE_BYTES} can be given`);
    const bytes = readWhole(fd, size);
    return { text: textOf(file, bytes), path, sha256: sha256(bytes) };
  } finally {
    closeSync(fd);
  }
}

function opened(file: string, roots: readonly string[]) {
  try {
    return openRead(roots, file);
  } catch (error) {
    if (error instanceof Fault) throw refused(file, error.message, error.data.hint);
    throw error;
  }
}

function readWhole(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(fd, bytes, length, size - length, length);
  return bytes.subarray(0, length);
}

/** Not more than the cap, cut between characters; the cut is said. */
function textOf(file: string, bytes: Buffer): string {
  const shown = bytes.length > MAX_BYTES ? bytes.subarray(0, MAX_BYTES) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(shown, { stream: shown.length < bytes.length });
    if (text.includes('\0')) throw new TypeError('NUL');
    if (shown.length === bytes.length) return text;
    return `${text}\n[only the first ${MAX_BYTES / 1024} KB of ${bytes.length} bytes are given]`;
  } catch {
    throw refused(file, 'it is not UTF-8 text');
  }
}

function refused(
  file: string,
  why: string,
  hint = 'Name a text file that an earlier step published, or one of the skill.',
): Fault {
  return new Fault('step.path', `files: ${JSON.stringify(file)} cannot be added to the prompt: ${why}`, { hint });
}
