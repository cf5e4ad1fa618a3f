/** The names that a shell completes: of skills, of runs, of the steps of a run. Folders are listed, and one line of a journal is read. */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BUNDLED_SKILLS } from '../bundled-skills.js';
import { idsOf } from '../core/step-path.js';
import { runDirAt } from '../engine/run-dir.js';
import { findProject, runsDirOf } from '../load/project.js';
import { skillNames } from '../load/skill-names.js';
import type { Environment } from '../providers/services.js';

/** A shell shows no more. */
const MOST_NAMES = 1_000;
/** Folders below `.steps` that are those of steps, not of what steps leave. */
const NOT_STEPS = new Set(['work', 'attempts', 'results']);

export function skillsHere(cwd: string, env: Environment, skillsDirs: readonly string[]): string[] {
  const dirs = skillsDirs.map((dir) => resolve(cwd, dir));
  return skillNames({ projectDir: findProject(cwd), skillsDirs: dirs, homeDir: env.HOME, bundledDir: BUNDLED_SKILLS });
}

/** `<skill>/<slug>`, and `<skill>/latest`. */
export function runsHere(cwd: string): string[] {
  const root = runsDirOf(findProject(cwd));
  const names = foldersIn(root).flatMap((skill) => {
    const slugs = foldersIn(join(root, skill)).filter((slug) => isRun(join(root, skill, slug)));
    return slugs.length === 0 ? [] : [`${skill}/latest`, ...slugs.map((slug) => `${skill}/${slug}`)];
  });
  return names.slice(0, MOST_NAMES);
}

/** By ids, as far as they have begun, and those of the file. @param run as a person names it */
export async function stepsOf(run: string, cwd: string): Promise<string[]> {
  const places = [resolve(cwd, run), join(runsDirOf(findProject(cwd)), run)];
  const dir = places.find(isRun);
  if (dir === undefined) return [];
  const { firstRecord } = await import('../engine/journal.js');
  const first = firstRecord(runDirAt(dir).journal);
  const ids = first?.type === 'run_started' ? first.steps.map(({ id }) => id) : [];
  const paths = stepFolders(join(dir, '.steps'), '');
  return [...new Set([...ids, ...paths.map(idsOf), ...paths])].slice(0, MOST_NAMES);
}

function stepFolders(root: string, path: string): string[] {
  const names = foldersIn(join(root, path)).filter((name) => !NOT_STEPS.has(name));
  return names.slice(0, MOST_NAMES).flatMap((name) => {
    const inner = path === '' ? name : `${path}/${name}`;
    return [inner, ...stepFolders(root, inner)];
  });
}

function isRun(dir: string): boolean {
  const { runJson, journal } = runDirAt(dir);
  return existsSync(runJson) || existsSync(journal);
}

/** Without links, and without what begins with a dot. */
function foldersIn(dir: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}
