/** Paths without links, also of what is not there yet. */
import fs from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

/** @param path absolute; of what does not exist the nearest folder above it counts */
export function realPathOf(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}

/** Whether a path is this folder or below it, wherever links lead. */
export function isReallyWithin(root: string, path: string): boolean {
  const folder = realPathOf(root);
  const real = realPathOf(path);
  return real === folder || real.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
