/** From a path that a model or an author wrote to an absolute path inside a folder, or a `step.path` fault. */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../core/faults.js';
import { pathOf, type Root, refuseMoved } from './held.js';
import { errorCode } from './layer.js';
import { pathProblem, protectedProblem, publishProblem, secretProblem } from './names.js';

/** A path that was judged: `real` holds no links, `root` is the real path of the folder it is in. */
export interface Inside {
  readonly root: string;
  readonly real: string;
}

/** Absolute, with links resolved; need not exist. Throws `step.path` if it leads out of `root`, also by a link. */
export function resolveInside(root: Root, path: string): string {
  return locate(root, path).real;
}

/** An existing regular file: relative paths are looked for in each root in turn, absolute ones must lie in one. A root may be a file. */
export function resolveRead(roots: readonly Root[], path: string): string {
  return locateRead(roots, path).real;
}

/** A regular file, or nothing yet, that no link leads to. */
export function resolveWrite(within: Root, path: string): string {
  const { root: realRoot, real } = locate(within, path);
  const root = pathOf(within);
  const written = join(realRoot, relative(isAbsolute(path) ? rootOf(root, realRoot, path) : root, resolve(root, path)));
  if (written !== real) throw refused(path, 'it leads through a link', root);
  const secret = protectedProblem(real);
  if (secret) throw refused(path, secret, root);
  if (real === realRoot) throw refused(path, 'it is the folder itself', root);
  const stats = lstat(real);
  if (stats && !stats.isFile()) throw refused(path, `it is ${kindOf(stats)}, not a regular file`, root);
  return real;
}

/** Where a published file goes; `path` is relative to the run folder. */
export function resolvePublished(runDir: string, path: string): string {
  const problem = publishProblem(path);
  if (problem) throw refused(path, problem, runDir);
  return resolveWrite(runDir, path);
}

export function locate(within: Root, path: string): Inside {
  assertUsable(path);
  const realRoot = realRootOf(within);
  const root = pathOf(within);
  const candidate = resolve(root, path);
  // The folder itself: there is nothing below it to follow.
  if (candidate === root) return { root: realRoot, real: realRoot };
  if (!isInside(root, candidate) && !isInside(realRoot, candidate)) throw outside(path, [root]);
  const real = realOf(candidate, path);
  if (!isInside(realRoot, real)) throw outside(path, [root], ' by a link');
  return { root: realRoot, real };
}

export function locateRead(roots: readonly Root[], path: string): Inside {
  const found = locateExisting(roots, path);
  const stats = statSync(found.real);
  if (!stats.isFile()) {
    const hint = stats.isDirectory() ? { hint: 'List a folder with list_files.' } : {};
    throw new Fault('step.path', `${quote(path)} is ${kindOf(stats)}, not a regular file.`, hint);
  }
  return found;
}

/** As `locateRead`, but a file of any type or a folder. */
export function locateExisting(roots: readonly Root[], path: string): Inside {
  assertUsable(path);
  const candidates = roots.filter((root) => covers(root, path));
  // The innermost knows best why not.
  if (isAbsolute(path)) candidates.sort((a, b) => pathOf(b).length - pathOf(a).length);
  if (isAbsolute(path) && candidates.length === 0) throw outside(path, roots);
  let refusal: Fault | undefined;
  for (const root of candidates) {
    try {
      const found = locate(root, path);
      const secret = secretProblem(resolve(pathOf(root), path)) ?? secretProblem(found.real);
      if (secret) throw new Fault('step.path', `${quote(path)} may not be read: ${secret}.`);
      if (found.real === found.root || lstat(found.real)) return found;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      refusal ??= error;
    }
  }
  const isNowhere = candidates.every((root) => !isInside(pathOf(root), resolve(pathOf(root), path)));
  if (refusal) throw isNowhere ? outside(path, roots) : refusal;
  throw new Fault('step.path', `${quote(path)} does not exist. Looked in: ${roots.map(pathOf).join(', ')}.`, {
    hint: 'List what is there with list_files.',
  });
}

/** Whether it makes sense to look for the path here: an absolute one inside it, a relative one in a folder. */
function covers(within: Root, path: string): boolean {
  const root = pathOf(within);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (!stats) return false;
  if (!isAbsolute(path)) return stats.isDirectory();
  return isInside(root, resolve(path)) || isInside(realpathSync.native(root), resolve(path));
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function assertUsable(path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new Fault('step.path', `The path ${quote(path)} is not usable: ${problem}.`);
}

function rootOf(root: string, realRoot: string, path: string): string {
  return isInside(root, resolve(path)) ? root : realRoot;
}

function realRootOf(root: Root): string {
  const real = followed(pathOf(root));
  refuseMoved(root, real);
  return real;
}

function followed(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (error) {
    throw new Fault('step.path', `The folder ${root} cannot be used: ${errorCode(error) ?? 'unknown error'}.`);
  }
}

/** The real path of the deepest part that exists, and the rest as written. */
function realOf(candidate: string, path: string): string {
  const rest: string[] = [];
  let at = candidate;
  try {
    while (!lstat(at)) {
      rest.unshift(basename(at));
      at = dirname(at);
    }
    return join(realpathSync.native(at), ...rest);
  } catch (error) {
    throw new Fault(
      'step.path',
      `${quote(path)} cannot be followed: ${REASONS[errorCode(error) ?? ''] ?? errorCode(error)}.`,
    );
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'a link leads to nothing',
  ENOTDIR: 'a part of it is a file, not a folder',
  ELOOP: 'links lead in a circle',
  EACCES: 'permission denied',
  ENAMETOOLONG: 'it is too long',
};

function lstat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function outside(path: string, roots: readonly Root[], how = ''): Fault {
  return new Fault('step.path', `${quote(path)} leads out of what may be used${how}.`, {
    hint: `Allowed: ${roots.map(pathOf).join(', ')}.`,
  });
}

function refused(path: string, why: string, root: string): Fault {
  return new Fault('step.path', `${quote(path)} may not be written: ${why}.`, {
    hint: `Write a regular file in ${root}.`,
  });
}

function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
