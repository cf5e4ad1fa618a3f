/** Whether locked skills are still what somebody agreed to. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Fault } from '../core/faults.js';
import { everyStep, type Plan } from '../core/plan.js';
import { realPathOf } from '../files/real-path.js';
import { PROJECT_SKILLS } from '../load/skill-names.js';
import { type FolderHashes, hashFolder } from './hash.js';
import { LOCK_FILE, type LockEntry, lockedAs, readLock } from './lock.js';

/** Paths from the skill's folder. */
export interface Drift {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly missing: readonly string[];
  /** Why it cannot be told which files. */
  readonly why?: string;
}

const ONE_HASH = 'which files is not known, because the lock has one hash over all of them';

/** Undefined if it is as it was. @param dir absolute */
export function driftOf(dir: string, { files: locked, computedHash }: LockEntry): Drift | undefined {
  const now = hashesOr(dir);
  if (typeof now === 'string') return { changed: [], added: [], missing: [], why: now };
  if (!locked) {
    if (now.computedHash === computedHash && now.strange.length === 0) return undefined;
    return { changed: [], added: now.strange, missing: [], why: ONE_HASH };
  }
  const names = Object.keys(now.files);
  const changed = names.filter((name) => Object.hasOwn(locked, name) && locked[name] !== now.files[name]);
  const added = [...names.filter((name) => !Object.hasOwn(locked, name)), ...now.strange];
  const missing = Object.keys(locked).filter((name) => !Object.hasOwn(now.files, name));
  return changed.length + added.length + missing.length === 0 ? undefined : { changed, added, missing };
}

/** Or why there are none. */
function hashesOr(dir: string): FolderHashes | string {
  try {
    return hashFolder(dir);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const SHOWN = 12;

/** `changed scripts/a.py; new b.md; gone c.md`. */
export function driftText({ changed, added, missing, why }: Drift): string {
  const said = (word: string, names: readonly string[]) => {
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    return names.length === 0 ? [] : [`${word} ${names.slice(0, SHOWN).join(', ')}${more}`];
  };
  const parts = [...said('changed', changed), ...said('new', added), ...said('gone', missing)];
  return [...(why ? [why.replace(/\.$/, '')] : []), ...parts].join('; ');
}

interface Around {
  readonly name: string;
  readonly dir: string;
  /** The project whose lock speaks of it. */
  readonly projectDir: string;
}

/** The skills of projects that a folder is, or is in: by the path that leads to it as well as by where it really is. */
function skillsAround(dir: string, projectDir: string): Around[] {
  const real = realPathOf(dir);
  const projects = [projectDir, ...[dir, real].flatMap(lockedProjects)];
  return [...new Set(projects)].flatMap((project) =>
    PROJECT_SKILLS.map((part) => path.join(project, part)).flatMap((root) =>
      [path.relative(root, dir), path.relative(realPathOf(root), real)].flatMap((inside) => {
        const name = inside.split(path.sep)[0];
        if (!name || name === '..' || path.isAbsolute(inside)) return [];
        return [{ name, dir: path.join(root, name), projectDir: project }];
      }),
    ),
  );
}

/** Folders around this one that have a lock: a skill of another project was agreed to there. */
function lockedProjects(dir: string): string[] {
  const found: string[] = [];
  for (let at = dir; at !== path.dirname(at); at = path.dirname(at)) {
    if (existsSync(path.join(at, LOCK_FILE))) found.push(at);
  }
  return found;
}

/** The locked skill that a folder is, or is in: it was added from elsewhere. @param dir absolute */
export function lockedSkillAt(dir: string, projectDir: string): string | undefined {
  return skillsAround(dir, projectDir).find((one) => lockedAs(readLock(one.projectDir), one.name))?.name;
}

/** The folder of a locked skill, or undefined if it is not there. */
export function folderOfSkill(name: string, projectDir: string): string | undefined {
  return PROJECT_SKILLS.map((part) => path.join(projectDir, part, name)).find((dir) => existsSync(dir));
}

/** The folders of a plan and of all that it can come to use of other skills. */
export function skillDirsOf(plan: Plan): string[] {
  const dirs = everyStep(plan.steps).flatMap(({ body }) => {
    if (body.type === 'leaf') return body.inspection.files.map((file) => path.dirname(file));
    return body.type === 'child' ? [body.plan.dir, ...Object.values(body.plan.skillDirs)] : [];
  });
  return [...new Set([plan.dir, ...Object.values(plan.skillDirs), ...dirs])];
}

export interface Drifted {
  readonly name: string;
  /** Absolute. */
  readonly dir: string;
  readonly drift: Drift;
}

/** Of these folders those that are locked skills of the project whose files are not those that were agreed to. */
export function driftedSkills(skillDirs: readonly string[], projectDir: string): Drifted[] {
  const around = skillDirs.flatMap((dir) => skillsAround(dir, projectDir));
  const skills = [...new Map(around.map((skill) => [skill.dir, skill])).values()];
  const locks = new Map([...new Set(skills.map((one) => one.projectDir))].map((dir) => [dir, readLock(dir)]));
  return skills.flatMap(({ name, dir, projectDir: project }) => {
    const lock = locks.get(project);
    const locked = lock && lockedAs(lock, name);
    const drift = locked && driftOf(dir, locked.entry);
    return drift ? [{ name, dir, drift }] : [];
  });
}

/**
 * Throws `config.unsafe` if one of these folders is, or is in, a locked skill of the project whose files are not those that were agreed
 * to. Skills that are not in the lock are the person's own.
 * @param skillDirs absolute
 */
export function refuseDrift(skillDirs: readonly string[], projectDir: string): void {
  const [first] = driftedSkills(skillDirs, projectDir);
  if (!first) return;
  const { name, dir, drift } = first;
  throw new Fault('config.unsafe', `The skill "${name}" is not what was added: ${driftText(drift)}.`, {
    hint: `Look at ${path.relative(projectDir, dir)}; if it is right: pipeline skills trust ${name}; to fetch it again: pipeline skills update ${name}`,
  });
}
