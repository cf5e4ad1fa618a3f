/** Finds the project's folder, in which its runs have theirs. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { RUNS } from '../files/machinery.js';

export const CONFIG_FILE = 'pipeline.config.yaml';

/** The nearest parent with pipeline.config.yaml, skills/ or .git; else `cwd` itself. Absolute. */
export function findProject(cwd: string): string {
  const start = path.resolve(cwd);
  for (let dir = start; ; dir = path.dirname(dir)) {
    if (
      existsSync(path.join(dir, CONFIG_FILE)) ||
      isFolder(path.join(dir, 'skills')) ||
      existsSync(path.join(dir, '.git'))
    )
      return dir;
    if (dir === path.dirname(dir)) return start;
  }
}

/** Of all its runs: those of a skill stand in a folder of its name. Absolute. */
export function runsDirOf(projectDir: string): string {
  return path.join(projectDir, RUNS);
}

function isFolder(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
