/** The folder of the run that a person named, or why there is none. */
import { Fault } from '../core/faults.js';
import { editDistance } from '../core/problems.js';
import { allRuns, findRun } from '../engine/find-run.js';
import { runsDirOf } from '../load/project.js';
import { openProject } from '../run.js';

/** @returns the absolute run folder */
export function namedRun(name: string): string {
  const cwd = process.cwd();
  const root = runsDirOf(openProject({ cwd, env: process.env }).dir);
  const dir = findRun(name, root, cwd);
  if (dir !== undefined) return dir;
  const labels = nearestFirst(
    name,
    allRuns(root).map(({ label }) => label),
  );
  const hint =
    labels.length > 0 ? `Runs: ${labels.slice(0, 12).join(', ')}${labels.length > 12 ? ', …' : ''}` : undefined;
  throw new Fault('input.unknown', `There is no run "${name}".`, hint === undefined ? {} : { hint });
}

/** Those of the skill that was named before all others. */
export function nearestFirst(name: string, labels: readonly string[]): string[] {
  const [skill = ''] = name.split('/', 1);
  const rank = (label: string) => [label.startsWith(`${skill}/`) ? 0 : 1, editDistance(name, label)] as const;
  return labels
    .map((label) => ({ label, rank: rank(label) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
    .map(({ label }) => label);
}
