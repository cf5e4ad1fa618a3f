/** Finds skills by name, in the order of their roots. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Skill } from '../core/plan.js';
import { nearest, type Problem } from '../core/problems.js';
import { lookupName, readSkill, type SkillRead } from './skill.js';
import { isSkillFolder } from './skill-mode.js';

export interface SkillPlaces {
  /** Absolute. */
  readonly projectDir: string;
  /** From `--skills-dir`; nearest of all. Absolute. */
  readonly skillsDirs?: readonly string[] | undefined;
  readonly homeDir?: string | undefined;
  /** The skills that come with the program. */
  readonly bundledDir?: string | undefined;
}

export interface Shadowed {
  readonly name: string;
  readonly dir: string;
  /** The folder that wins over it. */
  readonly by: string;
}

/** Where a project, or a home, keeps skills, nearest first. */
export const PROJECT_SKILLS = ['skills', '.agents/skills', '.claude/skills'];

/** The existing roots, nearest first. */
export function skillRoots(places: SkillPlaces): string[] {
  const { projectDir, skillsDirs = [], homeDir, bundledDir } = places;
  const under = (folder: string): string[] => PROJECT_SKILLS.map((part) => path.join(folder, part));
  const roots = [
    ...skillsDirs,
    ...under(projectDir),
    ...(homeDir ? under(homeDir) : []),
    ...(bundledDir ? [bundledDir] : []),
  ];
  const seen = new Set<string>();
  return roots.filter((root) => {
    if (!existsSync(root)) return false;
    const real = realpathSync(root);
    if (seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}

/** Every skill, and why any other folder is none. */
export function discoverSkills(
  places: SkillPlaces,
  strict = false,
): {
  readonly skills: readonly Skill[];
  readonly shadowed: readonly Shadowed[];
  readonly problems: readonly Problem[];
} {
  const skills: Skill[] = [];
  const shadowed: Shadowed[] = [];
  const problems: Problem[] = [];
  const taken = new Map<string, string>();
  for (const dir of places.skillsDirs ?? []) {
    if (!existsSync(dir)) problems.push(missingRoot(dir));
  }
  for (const root of skillRoots(places)) {
    for (const [name, dirs] of groupByName(foldersOf(root, problems))) {
      const [dir, second] = dirs;
      if (!dir) continue;
      const winner = taken.get(name);
      if (winner) {
        shadowed.push(...dirs.map((each) => ({ name: path.basename(each), dir: each, by: winner })));
        continue;
      }
      if (second) {
        taken.set(name, dir);
        problems.push(clash(dirs));
        continue;
      }
      if (!isSkillFolder(dir)) {
        problems.push(
          ...readSkill(dir).problems.map(
            (problem): Problem => ({ ...problem, severity: strict ? 'error' : 'warning' }),
          ),
        );
        continue;
      }
      taken.set(name, dir);
      const read = readSkill(dir, strict);
      problems.push(...read.problems);
      if (read.skill) skills.push(read.skill);
    }
  }
  return { skills, shadowed, problems };
}

/** Reads only the skill of that name. `problems` say why there is none. */
export function findSkill(name: string, places: SkillPlaces, strict = false): SkillRead & { readonly dir?: string } {
  const wanted = lookupName(name);
  for (const root of skillRoots(places)) {
    const dirs = foldersOf(root).filter((dir) => lookupName(path.basename(dir)) === wanted && isSkillFolder(dir));
    const [dir, second] = dirs;
    if (!dir) continue;
    if (second) return { problems: [clash(dirs)] };
    return { dir, ...readSkill(dir, strict) };
  }
  return { problems: [unknownSkill(name, places)] };
}

/** Names of all folders that can be skills, without reading a file. */
export function skillNames(places: SkillPlaces): string[] {
  const dirs = skillRoots(places).flatMap((root) => foldersOf(root).filter(isSkillFolder));
  return [...new Set(dirs.map((dir) => path.basename(dir)))].sort();
}

function unknownSkill(name: string, places: SkillPlaces): Problem {
  const names = skillNames(places);
  const near = nearest(lookupName(name), names.map(lookupName));
  const guess = names.find((each) => lookupName(each) === near);
  const known =
    names.length > 0
      ? `Known skills: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`
      : 'No skills were found.';
  return {
    severity: 'error',
    rule: 'no-such-skill',
    message: `There is no skill "${name}".`,
    at: { file: places.projectDir, line: 1, column: 1 },
    hint: guess ? `Did you mean "${guess}"?` : known,
  };
}

/** Folders of a root, links to folders included; what begins with a dot is no skill. */
function foldersOf(root: string, problems?: Problem[]): string[] {
  const folders: string[] = [];
  for (const entry of entriesOf(root)) {
    if (entry.startsWith('.') || entry === 'node_modules') continue;
    const dir = path.join(root, entry);
    try {
      if (statSync(dir).isDirectory()) folders.push(dir);
    } catch {
      const message = `"${entry}" is a link that leads nowhere.`;
      problems?.push({
        severity: 'warning',
        rule: 'skill-missing',
        message,
        at: { file: dir, line: 1, column: 1 },
        hint: 'Remove it.',
      });
    }
  }
  return folders;
}

function entriesOf(root: string): string[] {
  try {
    return readdirSync(root).sort();
  } catch {
    return [];
  }
}

function groupByName(dirs: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const dir of dirs) {
    const name = lookupName(path.basename(dir));
    groups.set(name, [...(groups.get(name) ?? []), dir]);
  }
  return groups;
}

function clash(dirs: readonly string[]): Problem {
  const [first = '', ...rest] = dirs;
  return {
    severity: 'error',
    rule: 'skill-clash',
    message: `These folders stand for one name, because case, "-" and "_" do not matter: ${dirs.join(', ')}.`,
    at: { file: rest[0] ?? first, line: 1, column: 1 },
    hint: 'Rename one of them.',
  };
}

function missingRoot(dir: string): Problem {
  return {
    severity: 'error',
    rule: 'skills-dir',
    message: `The skills folder "${dir}" is not there.`,
    at: { file: dir, line: 1, column: 1 },
  };
}
