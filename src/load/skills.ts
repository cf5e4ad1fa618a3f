/** Finds skills by name, in the order of their roots. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Skill } from '../core/plan.js';
import { nearest, type Problem } from '../core/problems.js';
import { lookupName, readSkill, type SkillRead } from './skill.js';
import { isSkillFolder } from './skill-mode.js';
import { foldersOf, type SkillPlaces, skillNames, skillRoots } from './skill-names.js';

export interface Shadowed {
  readonly name: string;
  readonly dir: string;
  /** The folder that wins over it. */
  readonly by: string;
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

function unknownSkill(name: string, places: SkillPlaces): Problem {
  const names = skillNames(places);
  const near = nearest(lookupName(name), names.map(lookupName));
  const longer = names.filter((each) => lookupName(each).startsWith(lookupName(name)));
  const guess = names.find((each) => lookupName(each) === near) ?? (longer.length === 1 ? longer[0] : undefined);
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
