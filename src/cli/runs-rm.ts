/** pipeline runs rm: removes the runs that a person names, each by its whole name. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Fault, type FaultData, toFault } from '../core/faults.js';
import { findRun } from '../engine/find-run.js';
import { readRunFile } from '../engine/run-file.js';
import { nameOfRun } from '../engine/ways-on.js';
import { type ListedRun, runsBelow, runsFolder } from './runs.js';
import { type RemovalOptions, removeOnceAgreed } from './runs-removal.js';

export async function runsRmCommand(names: readonly string[], options: RemovalOptions): Promise<void> {
  const root = runsFolder();
  const all = runsBelow(root);
  const { named, problems } = namedRuns(names, root, process.cwd(), all);
  if (problems.length > 0) throw allAtOnce(problems);
  await removeOnceAgreed(named, all, root, options);
}

/** Every name that is no removable run is a problem; a run that is named twice goes once. */
function namedRuns(
  names: readonly string[],
  root: string,
  cwd: string,
  all: readonly ListedRun[],
): { readonly named: readonly ListedRun[]; readonly problems: readonly FaultData[] } {
  const realRoot = existsSync(root) ? realpathSync(root) : root;
  const named = new Map<string, ListedRun>();
  const problems: FaultData[] = [];
  for (const name of names) {
    try {
      const dir = removable(name, root, cwd);
      const run = all.find((one) => join(realRoot, relative(root, one.dir)) === dir);
      if (!run) throw unknown(`"${name}" is no run of this project: ${dir} is not below ${root}.`);
      if (run.status === 'running') throw new Fault('run.in_use', `"${name}" is in use: a process works on it.`);
      named.set(dir, run);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(toFault(error));
    }
  }
  return { named: [...named.values()], problems };
}

/** A beginning is enough to look at a run; what is removed is said in full. */
function removable(name: string, root: string, cwd: string): string {
  const dir = findRun(name, root, cwd);
  if (dir === undefined) throw unknown(`There is no run "${name}".`);
  if (readRunFile(dir)?.run === name) return dir;
  const paths = [resolve(cwd, name), resolve(root, name)].filter((path) => readRunFile(path));
  if (paths.some((path) => isItself(path, dir))) return dir;
  throw paths.length > 0
    ? unknown(`"${name}" is a link: only what is itself a run is removed.`)
    : unknown(`"${name}" is only the beginning of ${nameOfRun(dir)}: give the whole name.`);
}

/** Not by way of a link, but for the `latest` of its own skill. */
function isItself(path: string, dir: string): boolean {
  const parent = realpathSync(dirname(path));
  return join(parent, basename(path)) === dir || (basename(path) === 'latest' && parent === dirname(dir));
}

function unknown(message: string): Fault {
  return new Fault('input.unknown', message);
}

function allAtOnce(problems: readonly FaultData[]): Fault {
  const worst = problems.find(({ code }) => code !== 'run.in_use') ?? problems[0];
  const lines = [...problems.map(({ message }) => message), 'Nothing was removed.'];
  const hint =
    worst?.code === 'run.in_use'
      ? 'pipeline stop <run> ends what works on it.'
      : 'pipeline runs lists the runs there are.';
  return new Fault(worst?.code ?? 'input.unknown', lines.join('\n'), { hint });
}
