/** The tests of skills: every `tests/*.test.yaml`, read and held against its pipeline. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { discoverSkills, findSkill } from '../load/skills.js';
import type { Checked, Surroundings } from '../request.js';
import { checkPipeline, openProject } from '../run.js';
import { unknownNames } from './check-names.js';
import { readTest } from './read-test.js';
import type { SkillTest } from './skill-test.js';

export interface FoundTests {
  readonly tests: readonly SkillTest[];
  /** What each of their targets was read as. */
  readonly checked: ReadonlyMap<string, Checked>;
  readonly problems: readonly Problem[];
  /** Targets without a test. */
  readonly untested: readonly string[];
}

const TEST_FILE = /\.test\.ya?ml$/;

/** @param targets names of skills, skill folders, pipeline files or test files; all skills of the project if there are none */
export async function findTests(targets: readonly string[], around: Surroundings): Promise<FoundTests> {
  const tests: SkillTest[] = [];
  const problems: Problem[] = [];
  const untested: string[] = [];
  const checked = new Map<string, Checked>();
  const planOf = async (dir: string) => {
    const known = checked.get(dir) ?? (await checkPipeline(dir, around));
    checked.set(dir, known);
    return known.plan;
  };
  for (const { name, files, problems: missing } of filesOf(targets, around)) {
    problems.push(...missing);
    if (files.length === 0 && missing.length === 0) untested.push(name);
    for (const file of files) {
      const read = readTest(file);
      problems.push(...read.problems);
      if (!read.test) continue;
      const plan = await planOf(read.test.target);
      const unknown = plan ? unknownNames(read.test, plan) : [];
      problems.push(...unknown);
      if (!hasErrors(unknown)) tests.push(read.test);
    }
  }
  return { tests, checked, problems, untested };
}

/** What is wrong with the test files of a pipeline, each by itself and held against it. @param dir of the pipeline file */
export function testProblems(dir: string, plan: Plan): Problem[] {
  return testsIn(dir).flatMap((file) => {
    const { test, problems } = readTest(file);
    return [...problems, ...(test ? unknownNames(test, plan) : [])];
  });
}

interface Target {
  readonly name: string;
  /** Absolute. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

function filesOf(targets: readonly string[], around: Surroundings): Target[] {
  const { places, dir } = openProject(around);
  if (targets.length > 0) return targets.map((target) => targetOf(target, places, around.cwd));
  const roots = [dir, ...(around.skillsDirs ?? [])].map((root) => resolve(root) + sep);
  const own = discoverSkills(places).skills.filter((skill) => roots.some((root) => skill.dir.startsWith(root)));
  return own.map((skill) => ({ name: skill.name, files: testsIn(skill.dir), problems: [] }));
}

function targetOf(target: string, places: Parameters<typeof findSkill>[1], cwd: string): Target {
  const path = resolve(cwd, target);
  if (!/[\\/]|\.ya?ml$/.test(target)) {
    const { dir, problems } = findSkill(target, places);
    if (dir !== undefined) return { name: target, files: testsIn(dir), problems: [] };
    return { name: target, files: [], problems };
  }
  if (!existsSync(path)) {
    const at = { file: path, line: 1, column: 1 };
    const message = `There is nothing at ${target}.`;
    return { name: target, files: [], problems: [{ severity: 'error', rule: 'missing-target', message, at }] };
  }
  if (TEST_FILE.test(path)) return { name: basename(path), files: [path], problems: [] };
  return { name: target, files: testsIn(statSync(path).isDirectory() ? path : dirname(path)), problems: [] };
}

function testsIn(dir: string): string[] {
  const folder = join(dir, 'tests');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => TEST_FILE.test(name));
  return names.sort().map((name) => join(folder, name));
}
