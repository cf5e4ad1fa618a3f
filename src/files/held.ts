/** Where granted folders and files really were when the run began: a link that came later leads nowhere. */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../core/faults.js';
import { realPathOf } from './real-path.js';

/** Absolute paths as they were written, with their real paths of that time. */
export type Held = ReadonlyMap<string, string>;

/** A folder or file; `real` is what its path must still mean. */
export interface HeldRoot {
  readonly path: string;
  readonly real: string;
}

export type Root = string | HeldRoot;

/** @param paths absolute; of what is not there yet the nearest folder above it is held */
export function hold(paths: readonly string[], before: Held = new Map()): Held {
  const held = new Map(before);
  for (const path of paths) if (!held.has(path)) held.set(path, realPathOf(path));
  return held;
}

/** @param paths absolute, without links, and so they must stay */
export function holdAsIs(paths: readonly string[], before: Held): Held {
  return new Map([...before, ...paths.map((path) => [path, path] as const)]);
}

/** @param path absolute; the nearest path around it that is held says what it must mean, and where there is none it is taken as it is */
export function heldRoot(held: Held, path: string): Root {
  for (let above = path; ; above = dirname(above)) {
    const real = held.get(above);
    if (real !== undefined) return { path, real: join(real, relative(above, path)) };
    if (above === dirname(above)) return path;
  }
}

export function pathOf(root: Root): string {
  return typeof root === 'string' ? root : root.path;
}

/** @param real what the root's path means now. Throws `step.path` if it meant something else when the run began. */
export function refuseMoved(root: Root, real: string): void {
  if (typeof root === 'string' || root.real === real) return;
  const was = root.real === root.path ? 'it was no link' : `it was ${root.real}`;
  throw new Fault('step.path', `${root.path} was refused: ${was} when the run began, and now it leads to ${real}.`, {
    hint: 'Put back what was there. What lies in a folder that a step may write, the step can replace: move the one out of the other.',
  });
}

/** The real path now; of what is not there its nearest folder's. Throws `step.path` as `refuseMoved`. */
export function realOfHeld(held: Held, path: string): string {
  const real = realPathOf(path);
  refuseMoved(heldRoot(held, path), real);
  return real;
}

const MAX_LINKS = 40;

/** The links on the way of an absolute path, each by the real path of the folder that it is in. */
export function linksOn(path: string): string[] {
  const links: string[] = [];
  let rest = partsOf(path);
  let at: string = sep;
  for (let part = rest.shift(); part !== undefined && links.length <= MAX_LINKS; part = rest.shift()) {
    const next = join(at, part);
    if (!lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) {
      at = next;
      continue;
    }
    links.push(next);
    rest = [...partsOf(resolve(at, readlinkSync(next))), ...rest];
    at = sep;
  }
  return links;
}

function partsOf(path: string): string[] {
  return resolve(path).split(sep).filter(Boolean);
}
