/** What a confined command sees of the disk beside the system: folders with their access, and what is hidden in them. */
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfinedStep } from '../core/context.js';
import { heldRoot, refuseMoved } from '../files/held.js';
import { isInside } from '../files/jail.js';
import { RUNS } from '../files/machinery.js';
import { publishProblem, secretProblem } from '../files/names.js';
import { findHidden, type Hidden } from './secrets.js';

/** Absolute paths without links, but for the names of `links`. */
export interface View {
  readonly write: readonly string[];
  /** Not inside those of `write`. */
  readonly read: readonly string[];
  readonly hidden: Hidden;
  /** Seen, in the place of whatever the above say of it. */
  readonly run: string;
  /** In the run folder, the runner's own. */
  readonly machinery: readonly { readonly path: string; readonly isFolder: boolean }[];
  /** Inside the machinery, and yet seen: the work folder. */
  readonly work: string;
  /** Likewise, read only. */
  readonly inputs: string | undefined;
  /** Where a path was written with links: that path, and what it means. */
  readonly links: readonly { readonly path: string; readonly to: string }[];
}

/** Grants of what is not there, or of what nobody may read, give nothing. Throws `step.path` where a link came since the run began. */
export async function viewOf({ folders, permissions, readable, held }: ConfinedStep): Promise<View> {
  const real = (path: string) => {
    const found = realpathSync.native(path);
    refuseMoved(heldRoot(held, path), found);
    return found;
  };
  const realPaths = (paths: readonly string[]) => paths.flatMap((path) => usable(path, real));
  const [run, work, skill] = [real(folders.run), real(folders.work), real(folders.skill)];
  const project = existsSync(folders.project) ? real(folders.project) : folders.project;
  const runs = join(project, RUNS);
  const granted = realPaths(permissions.write);
  const isOfRuns = (path: string) => isInside(runs, path) || isInside(run, path);
  const write = outermost(granted.filter((path) => !isOfRuns(path)));
  const readOnly = [skill, ...realPaths([...permissions.read, ...readable]), ...granted.filter(isOfRuns)];
  const read = outermost(
    readOnly.filter((path) => !write.some((root) => isInside(root, path)) && !isInside(run, path)),
  );
  // An inner folder of `read` can hold one of `write`, which is looked through then, too.
  const hidden = await findHidden(outermost([...write, ...read]), { all: runs, own: run });
  const written = [folders.run, folders.work, folders.skill, ...permissions.read, ...permissions.write, ...readable];
  const seen = [...write, ...read, run, work];
  return {
    write,
    read,
    hidden,
    run,
    machinery: machineryOf(run),
    work,
    inputs: existsSync(folders.inputs) ? realpathSync.native(folders.inputs) : undefined,
    links: linksOf(written, seen),
  };
}

function usable(path: string, real: (path: string) => string): string[] {
  if (!existsSync(path)) return [];
  const found = real(path);
  return (secretProblem(path) ?? secretProblem(found)) ? [] : [found];
}

/** Each once, without those inside another. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(other, path)));
}

/** What is no published file: the journal, the lock, what steps keep. */
function machineryOf(run: string): View['machinery'] {
  return readdirSync(run, { withFileTypes: true })
    .filter((entry) => publishProblem(entry.name) !== undefined && !entry.isSymbolicLink())
    .map((entry) => ({ path: join(run, entry.name), isFolder: entry.isDirectory() }));
}

function linksOf(written: readonly string[], seen: readonly string[]): View['links'] {
  const links = new Map<string, string>();
  for (const path of written) {
    if (!existsSync(path) || !seen.some((root) => isInside(root, realpathSync.native(path)))) continue;
    const to = realpathSync.native(path);
    const isThere = to === path || seen.some((root) => isInside(root, path)) || links.has(path);
    if (!isThere && lstatSync(path, { throwIfNoEntry: false })) links.set(path, to);
  }
  const all = [...links.keys()];
  const isLeast = (path: string) => !all.some((other) => other !== path && isInside(other, path));
  return all.filter(isLeast).map((path) => ({ path, to: links.get(path) as string }));
}
