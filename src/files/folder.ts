/** Opens files below a folder so that nobody can swap a link into the way between the judgement and the use. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../core/faults.js';
import { syncOpenFolder } from './atomic-write.js';
import type { Root } from './held.js';
import { isInside, locate, locateRead, resolveWrite } from './jail.js';
import { errorCode, type FileLayer, realFiles } from './layer.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Linux reaches the entries of an open folder by its descriptor, whatever its path has become; elsewhere only the last part is safe. */
const byDescriptor = platform() === 'linux' && existsSync('/proc/self/fd');

export interface OpenedFile {
  /** The caller closes it. */
  readonly fd: number;
  /** Absolute, without links. */
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
}

/** Opens a regular file for reading; see `resolveRead`. */
export function openRead(roots: readonly Root[], path: string): OpenedFile {
  const { root, real } = locateRead(roots, path);
  const folder =
    real === root ? { at: () => real, close: () => {} } : walk(root, partsOf(root, dirname(real)), 'nothing');
  try {
    const fd = openSync(folder.at(basename(real)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(fd);
    if (stats.isFile()) return { fd, path: real, bytes: stats.size, mode: stats.mode & 0o777 };
    closeSync(fd);
    throw changed(path);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') throw changed(path);
    throw error;
  } finally {
    folder.close();
  }
}

/**
 * Calls `write` with a path that means this file for as long as `write` runs; folders on the way are made.
 * @param write gets the path to write to (not for people) and the mode of the file that is there, if one is
 * @param making `to stay`: folders that are made survive a power cut
 * @returns absolute path, for people
 */
export function writeInside(
  root: Root,
  path: string,
  write: (target: string, mode: number | undefined) => void,
  making: Exclude<Making, 'nothing'> = 'folders',
): string {
  const real = resolveWrite(root, path);
  const { root: realRoot } = locate(root, '.');
  const folder = walk(realRoot, partsOf(realRoot, dirname(real)), making);
  try {
    const target = folder.at(basename(real));
    const stats = lstatSync(target, { throwIfNoEntry: false });
    if (stats && !stats.isFile()) throw changed(path);
    write(target, stats && stats.mode & 0o777);
    return real;
  } finally {
    folder.close();
  }
}

/** Removes a file, and the folders around it that are empty then; what a link leads to, or is gone, is left alone. */
export function removeInside(root: string, path: string, files: FileLayer = realFiles): void {
  const { root: realRoot } = locate(root, '.');
  const parts = partsOf(root, resolve(root, path));
  for (let first = true; parts.length > 0; first = false) {
    const name = parts.pop() as string;
    const folder = walkIfThere(realRoot, parts);
    if (!folder) return;
    try {
      if (first) files.unlink(folder.at(name));
      else rmdirSync(folder.at(name));
    } catch (error) {
      const gone = errorCode(error) === 'ENOENT';
      if (first && !gone) throw error;
      if (!first) return;
    } finally {
      folder.close();
    }
  }
}

/** An open folder: `at` gives a path that means this entry of it, whatever the folder's own path has become. */
export interface OpenedFolder {
  at(name: string): string;
  close(): void;
}

/** @param root absolute, without links @param folder relative to it; '' for the root itself. Undefined if it is not there, or a link leads to it. */
export function openFolder(root: string, folder: string): OpenedFolder | undefined {
  return walkIfThere(root, folder.split('/').filter(Boolean));
}

function walkIfThere(root: string, parts: readonly string[]): OpenedFolder | undefined {
  try {
    return walk(root, parts, 'nothing');
  } catch (error) {
    if (error instanceof Fault || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The root that a path to be written belongs to: the first for a relative path, the one around it for an absolute one. */
export function rootFor(roots: readonly [string, ...string[]], path: string): string {
  if (!isAbsolute(path)) return roots[0];
  const root = roots.find((one) => isInside(one, path)) ?? roots[0];
  // A grant may name a file.
  return root === resolve(path) ? dirname(root) : root;
}

function partsOf(root: string, folder: string): string[] {
  return relative(root, folder).split(sep).filter(Boolean);
}

type Making = 'nothing' | 'folders' | 'to stay';

function walk(root: string, parts: readonly string[], making: Making): OpenedFolder {
  let path = root;
  let fd = openRoot(root);
  const at = (name: string) => (byDescriptor ? `/proc/self/fd/${fd}/${name}` : join(path, name));
  try {
    for (const part of parts) {
      const next = openPart(at(part), fd, making);
      closeSync(fd);
      fd = next;
      path = join(path, part);
    }
  } catch (error) {
    closeSync(fd);
    if (['ELOOP', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw changed(join(path, ...parts));
    throw error;
  }
  return { at, close: () => closeSync(fd) };
}

function openRoot(root: string): number {
  const fd = openSync(root, O_RDONLY | O_DIRECTORY);
  // A link that was put in its place after its real path was found.
  if (!byDescriptor || readlinkSync(`/proc/self/fd/${fd}`) === root) return fd;
  closeSync(fd);
  throw changed(root);
}

/** @param above the open folder that it is in */
function openPart(path: string, above: number, making: Making): number {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  try {
    return openSync(path, flags);
  } catch (error) {
    if (making === 'nothing' || errorCode(error) !== 'ENOENT') throw error;
  }
  try {
    mkdirSync(path, { mode: 0o700 });
    if (making === 'to stay') syncOpenFolder(above);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return openSync(path, flags);
}

function changed(path: string): Fault {
  return new Fault('step.path', `${JSON.stringify(path)} was refused: a link or a special file was put in its way.`);
}
