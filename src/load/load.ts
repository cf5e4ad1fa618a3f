/** The door of this folder: a skill's name or a path → a Plan, or every problem. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { StepKind } from '../core/kind.js';
import type { Skill } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import type { Tool } from '../core/tool.js';
import { MAX_LEVELS, unfolded } from './child-size.js';
import { type DriverOptions, planOfDriver } from './driver-plan.js';
import { DYNAMIC, type Type } from './infer-types.js';
import { asErrors, inOrder } from './notes.js';
import type { Refusal } from './override-path.js';
import { type Overrides, override, overrideProblem } from './overrides.js';
import { type PlanRead, readPipeline } from './pipeline.js';
import { keepTypes } from './plan-types.js';
import { readSkill, type SkillRead } from './skill.js';
import { letterProblems } from './skill-letter.js';
import { isSkillFolder, PIPELINE_FILE } from './skill-mode.js';
import { type SkillPlaces, skillNames, skillRoots } from './skill-names.js';
import { planOfSkill } from './skill-plan.js';
import { findSkill } from './skills.js';
import { readText, type TextRead } from './text.js';

export interface LoadOptions extends SkillPlaces {
  readonly kinds: readonly StepKind[];
  /** Those of the next-loop driver: no file names them. Without them its skills are refused. */
  readonly driver?: readonly StepKind[];
  readonly tools: readonly Tool[];
  /** Model roles that the project configures. */
  readonly roles: readonly string[];
  /** Paths of targets start here; the project's folder if it is left out. */
  readonly cwd?: string | undefined;
  /** Warnings become errors. */
  readonly strict?: boolean | undefined;
  /** Values that replace those of the target's own file, as YAML text by path. */
  readonly overrides?: Overrides | undefined;
  /** For what `permissions.env` names; not looked at if it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** @param target a skill's name, or a path to a pipeline file or a skill folder */
export async function loadPlan(target: string, options: LoadOptions): Promise<PlanRead> {
  const found = findTarget(target, options);
  if (!found.skill) return strictly({ problems: found.problems }, options);
  const { skill, file } = found;
  const read = await readTop(skill, file ?? fileOf(skill), options);
  const letter = options.strict ? letterProblems(skill) : [];
  const whole = { ...read, problems: inOrder([...found.problems, ...letter, ...read.problems]) };
  return strictly(whole, options);
}

interface Target extends SkillRead {
  readonly file?: string;
}

function findTarget(target: string, options: LoadOptions): Target {
  const absolute = path.resolve(options.cwd ?? options.projectDir, target);
  const isPath = /[\\/]/.test(target) || /\.(ya?ml|md)$/i.test(target) || target === '.';
  if (!isPath) {
    const found = findSkill(target, options);
    // An empty name would be the current folder.
    if (found.skill || found.dir || target.trim() === '' || !existsSync(absolute)) return found;
  }
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (!stat) return { problems: [missingTarget(target, absolute)] };
  if (stat.isDirectory()) return readSkill(absolute);
  if (path.basename(absolute).toLowerCase() === 'skill.md') return readSkill(path.dirname(absolute));
  const dir = path.dirname(absolute);
  if (path.basename(absolute) === PIPELINE_FILE && isSkillFolder(dir)) return { ...readSkill(dir), file: absolute };
  const name = path.basename(absolute).replace(/\.ya?ml$/i, '');
  return { skill: { name, dir, body: '', metadata: {}, runsAs: 'pipeline' }, file: absolute, problems: [] };
}

/** The file that says what a skill runs. */
function fileOf(skill: Skill): string {
  return skill.runsAs === 'agent' ? (skill.file ?? skill.dir) : path.join(skill.dir, PIPELINE_FILE);
}

async function readTop(skill: Skill, file: string, options: LoadOptions): Promise<PlanRead> {
  const { overrides = {} } = options;
  const hasNoFile = file === fileOf(skill) && (skill.runsAs === 'agent' || !existsSync(file));
  const paths = Object.keys(overrides);
  if (hasNoFile && paths.length > 0) return { problems: paths.map((each) => overrideProblem(each, noValues(skill))) };
  const reads = new Map<string, PlanRead>();
  const read = await readTarget({ name: skill.name, skill, file }, { ...options, overrides, reads }, []);
  if (!read.plan) return read;
  const plan = unfolded(read.plan);
  const { stepTypes = NO_TYPES, resultType = () => DYNAMIC } = read;
  keepTypes(plan, { steps: stepTypes, result: resultType });
  return { ...read, plan };
}

const NO_TYPES = (): ReadonlyMap<string, Type> => new Map();

interface Named {
  /** As messages say it. */
  readonly name: string;
  readonly skill: Skill;
  /** Absolute. */
  readonly file: string;
}

interface Loading extends LoadOptions {
  readonly overrides: Overrides;
  /** What was read so far, by file: many steps may run one skill. */
  readonly reads: Map<string, PlanRead>;
}

/** @param around what runs it, outermost first */
async function readTarget(named: Named, loading: Loading, around: readonly Named[]): Promise<PlanRead> {
  const known = loading.reads.get(named.file);
  if (known) return known;
  const read = await readFresh(named, loading, around);
  loading.reads.set(named.file, read);
  return read;
}

async function readFresh(named: Named, loading: Loading, around: readonly Named[]): Promise<PlanRead> {
  const { skill, file } = named;
  if (file === fileOf(skill) && skill.runsAs === 'agent') {
    return planOfSkill(skill, loading, (name) => findSkill(name, loading).skill);
  }
  const isDriven = file === fileOf(skill) && skill.runsAs === 'next-loop';
  const dir = path.dirname(file);
  if (isDriven && !existsSync(file)) return planOfDriver(undefined, optionsFor(named, loading, around));
  const text = readText(file, [dir]);
  if (text.type === 'fault') return { problems: [unreadable(text)] };
  const { source, problems, placed } = override(text.source, around.length === 0 ? loading.overrides : {});
  if (problems.length > 0) return { problems };
  const options = optionsFor(named, loading, around);
  const read = isDriven ? await planOfDriver(source, options) : await readPipeline(source, options);
  return { ...read, problems: read.problems.map(placed) };
}

function optionsFor({ name, skill, file }: Named, loading: Loading, around: readonly Named[]): DriverOptions {
  const dir = path.dirname(file);
  const named: Named = { name, skill, file };
  return {
    skill,
    driver: loading.driver ?? [],
    projectDir: loading.projectDir,
    kinds: loading.kinds,
    tools: loading.tools,
    roles: loading.roles,
    env: loading.env,
    places: { dir, roots: schemaRoots(dir, loading) },
    findSkill: (other) => findSkill(other, loading).skill,
    loadChild: async (child) => {
      const chain = [...around, named];
      const next: Named = { name: child.name, skill: child, file: fileOf(child) };
      const at = chain.findIndex((each) => each.file === next.file);
      if (at >= 0) return { cycle: [...chain.slice(at), next].map(({ name }) => name) };
      if (chain.length > MAX_LEVELS) return 'too-deep';
      return readTarget(next, loading, chain);
    },
    skillNames: () => skillNames(loading),
    skillFault: (other) => findSkill(other, loading).problems.find(isOfSkill),
  };
}

function isOfSkill({ severity, rule }: Problem): boolean {
  return severity === 'error' && rule !== 'no-such-skill';
}

/** This skill, the skills beside it, the project's `schemas/`. */
function schemaRoots(dir: string, options: LoadOptions): string[] {
  const parent = path.dirname(dir);
  const siblings = skillRoots(options).includes(parent) ? [parent] : [];
  return [dir, ...siblings, path.join(options.projectDir, 'schemas')];
}

function strictly(read: PlanRead, { strict }: LoadOptions): PlanRead {
  return strict && read.problems.length > 0 ? { problems: asErrors(read.problems) } : read;
}

function noValues({ name }: Skill): Refusal {
  return {
    message: `The skill "${name}" has no pipeline.yaml: it has no values to replace.`,
    hint: 'Write a pipeline.yaml in its folder that has them.',
  };
}

function unreadable({ message, at }: TextRead & { type: 'fault' }): Problem {
  return { severity: 'error', rule: 'pipeline-unreadable', message: `The pipeline cannot be read. ${message}`, at };
}

function missingTarget(target: string, file: string): Problem {
  return {
    severity: 'error',
    rule: 'missing-target',
    message: `There is no file or folder "${target}".`,
    at: { file, line: 1, column: 1 },
  };
}
