/** The folder of the run that a person named, or why there is none. */
import { Fault } from '../core/faults.js';
import { allRuns, findRun } from '../engine/find-run.js';
import { runsDirOf } from '../load/project.js';
import { openProject } from '../run.js';

/** @returns the absolute run folder */
export function namedRun(name: string): string {
  const cwd = process.cwd();
  const root = runsDirOf(openProject({ cwd, env: process.env }).dir);
  const dir = findRun(name, root, cwd);
  if (dir !== undefined) return dir;
  const labels = allRuns(root).map(({ label }) => label);
  const hint =
    labels.length > 0 ? `Runs: ${labels.slice(0, 12).join(', ')}${labels.length > 12 ? ', …' : ''}` : undefined;
  throw new Fault('input.unknown', `There is no run "${name}".`, hint === undefined ? {} : { hint });
}
