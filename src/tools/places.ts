/** The folders that a path names for the tools that look through folders. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { listTree } from '../files/glob.js';
import { locateExisting } from '../files/jail.js';
import { publishProblem } from '../files/names.js';
import { readRoots, refuseMachinery } from './access.js';

/** Folders of which nothing is shown. */
const HIDDEN = ['.steps', '.git', 'node_modules', 'skill_run'];

export interface Place {
  /** For people and models. */
  readonly title: string;
  /** Absolute, without links. */
  readonly real: string;
}

/** A relative path can be a folder in several places; an absolute one in one. Throws `step.path` if it is nowhere. */
export function foldersAt(context: StepContext, path: string): Place[] {
  const { work, run, skill } = context.folders;
  if (isAbsolute(path)) {
    const { real } = locateExisting(readRoots(context, path), path);
    refuseMachinery(context, path, real);
    return onlyFolder(path, real);
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
      const { real } = locateExisting([root], path);
      refuseMachinery(context, path, real);
      seen = true;
      return onlyFolder(path === '.' ? title : `${title}, ${path}`, real);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      missing ??= error;
      return [];
    }
  });
  if (!seen && missing) throw missing;
  return found.filter((one, i) => found.findIndex((other) => other.real === one.real) === i);
}

/** Every regular file below the place: relative, sorted. Of the run folder only what was published: the runner's own files grow all the time. */
export async function filesAt(context: StepContext, place: Place): Promise<string[]> {
  const files = await listTree(place.real, { dot: true, skip: HIDDEN });
  if (place.real !== realpathSync(context.folders.run)) return files;
  return files.filter((file) => publishProblem(file) === undefined);
}

function onlyFolder(title: string, real: string): Place[] {
  return statSync(real).isDirectory() ? [{ title, real }] : [];
}
