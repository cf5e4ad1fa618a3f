/** A run by the name a person gives it: a folder, `<skill>/<slug>`, `<skill>/latest`, or a unique beginning. */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import { readRunFile, runsOf } from './run-file.js';

/** @param root absolute: the project's skill_run
 *  @returns the absolute run folder, or undefined when nothing is meant */
export function findRun(name: string, root: string, cwd: string): string | undefined {
  // An unset variable of a script is no name, though each begins with it.
  if (name.trim() === '') return undefined;
  for (const dir of [resolve(cwd, name), join(root, name)]) {
    if (readRunFile(dir)) return fs.realpathSync(dir);
  }
  const matches = allRuns(root).filter(({ label, id }) => label.startsWith(name) || id.startsWith(name));
  if (matches.length > 1) {
    const names = matches.slice(0, 8).map(({ label }) => label);
    throw new Fault(
      'input.unknown',
      `"${name}" is the beginning of ${matches.length} runs: ${names.join(', ')}${matches.length > 8 ? ', …' : ''}`,
      { hint: hintOf(matches.map(({ label }) => label)) },
    );
  }
  return matches[0]?.dir;
}

function hintOf(labels: readonly string[]): string {
  const skills = new Set(labels.map((label) => label.split('/', 1)[0]));
  const [skill] = skills;
  return skills.size === 1 ? `Name one of them, or the newest: ${skill}/latest` : 'Name one of them.';
}

export function allRuns(root: string): { readonly label: string; readonly id: string; readonly dir: string }[] {
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) =>
      runsOf(join(root, entry.name)).map(({ dir, run }) => ({ label: `${entry.name}/${run.slug}`, id: run.run, dir })),
    );
}
