/** The files of a place that skills come from, before any of them is copied. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Fault } from '../core/faults.js';
import { unsafeIn } from '../core/plain-text.js';
import { pathProblem } from '../files/names.js';

export interface SourceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

/** What is never copied, and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export interface SourceTree {
  readonly files: readonly SourceFile[];
  readonly leftOut: readonly LeftOut[];
  /** Of a git repository. */
  readonly commit?: string;
  /** In their order. */
  read(files: readonly SourceFile[]): Promise<readonly Uint8Array[]>;
  close(): void;
}

/** Of a whole place, whatever of it is copied. */
export const MAX_ENTRIES = 50_000;
/** Made by machines on the machine of the author: never a part of a skill. */
const MADE = new Set(['node_modules', '__pycache__', '__pypackages__']);

/** Why this path of a stranger is never made on this machine, or undefined. */
export function strangePath(name: string): string | undefined {
  const parts = name.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isPlain || unsafeIn(name) !== undefined || name.startsWith('/')) return 'its name is not a plain one';
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'it is part of a git folder';
  if (parts.some((part) => MADE.has(part))) return 'it was made by a machine';
  return pathProblem(name);
}

/** Reads no content; links are not followed. */
export function folderTree(root: string): SourceTree {
  const files: SourceFile[] = [];
  const leftOut: LeftOut[] = [];
  let seen = 0;
  const walk = (folder: string): void => {
    for (const entry of readdirSync(path.join(root, folder)).sort()) {
      if (++seen > MAX_ENTRIES) throw tooMany(root);
      const name = folder === '' ? entry : `${folder}/${entry}`;
      const why = strangePath(name);
      const stat = lstatSync(path.join(root, name));
      if (why !== undefined) leftOut.push({ path: name, why });
      else if (stat.isDirectory()) walk(name);
      else if (stat.isFile()) files.push({ path: name, bytes: stat.size, isExecutable: (stat.mode & 0o111) !== 0 });
      else leftOut.push({ path: name, why: stat.isSymbolicLink() ? 'it is a link' : 'it is not a regular file' });
    }
  };
  walk('');
  return {
    files,
    leftOut,
    read: async (wanted) => wanted.map((file) => readRegular(path.join(root, file.path), file.bytes)),
    close: () => undefined,
  };
}

export function tooMany(what: string): Fault {
  return new Fault('config.unsafe', `${what} holds more than ${MAX_ENTRIES} files: nothing was copied.`);
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Of a file that was judged before: what took its place since is not read. */
export function readRegular(file: string, maxBytes: number): Uint8Array {
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (stat.isFile() && stat.size <= maxBytes) return readFileSync(fd);
    throw new Fault('config.unsafe', `${JSON.stringify(file)} changed while it was read.`);
  } finally {
    closeSync(fd);
  }
}
