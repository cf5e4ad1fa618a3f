/** The folders that a path names for the tools that look through folders. */
import { statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { listTree } from '../files/glob.js';
import { heldRoot } from '../files/held.js';
import { type Inside, locateExisting } from '../files/jail.js';
import { realFolders } from '../files/machinery.js';
import { publishProblem } from '../files/names.js';
import { readRoots, refuseMachinery } from './access.js';

/** Folders of which nothing is shown. */
const HIDDEN = ['.steps', '.git', 'node_modules', 'skill_run'];

export interface Place {
  /** For people and models. */
  readonly title: string;
  /** The folder that may be looked through: absolute, without links. */
  readonly root: string;
  /** Below the root, with `/`; '' for the root itself. */
  readonly folder: string;
}

/** A relative path can be a folder in several places; an absolute one in one. Throws `step.path` if it is nowhere. */
export function foldersAt(context: StepContext, path: string): Place[] {
  const { work, run, skill } = context.folders;
  if (isAbsolute(path)) {
    const found = locateExisting(readRoots(context, path), path);
    refuseMachinery(context, path, found.real);
    return onlyFolder(path, found);
  }
  const named: readonly (readonly [string, string])[] = [
    ['work folder', work],
    ['run folder', run],
    ['skill folder', skill],
  ];
  let missing: Fault | undefined;
  let seen = false;
  const found = named.flatMap(([title, root]) => {
    try {
      const inside = locateExisting([heldRoot(context.held, root)], path);
      refuseMachinery(context, path, inside.real);
      seen = true;
      return onlyFolder(path === '.' ? title : `${title}, ${path}`, inside);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      missing ??= error;
      return [];
    }
  });
  if (!seen && missing) throw missing;
  return found.filter((one, i) => found.findIndex((other) => realOf(other) === realOf(one)) === i);
}

/** Every regular file below the place: relative to its root, sorted. Of the run folder only what was published: the runner's own files grow all the time. */
export async function filesAt(context: StepContext, place: Place): Promise<string[]> {
  const files = await listTree(place.root, { dot: true, skip: HIDDEN, below: place.folder, isReal: true });
  if (realOf(place) !== realFolders(context.folders).run) return files;
  return files.filter((file) => publishProblem(file) === undefined);
}

function onlyFolder(title: string, { root, real }: Inside): Place[] {
  if (!statSync(real, { throwIfNoEntry: false })?.isDirectory()) return [];
  return [{ title, root, folder: relative(root, real).split(sep).join('/') }];
}

function realOf({ root, folder }: Place): string {
  return join(root, folder);
}

/** A path below the root as seen from the place. */
export function seenFrom({ folder }: Place, file: string): string {
  return folder === '' ? file : file.slice(folder.length + 1);
}
