/** The door of this folder: a skill's name or a path → a Plan, or every problem. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { StepKind } from '../core/kind.js';
import type { Skill } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import type { Tool } from '../core/tool.js';
import { inOrder } from './notes.js';
import { type Overrides, override } from './overrides.js';
import { type PlanRead, readPipeline } from './pipeline.js';
import { isSkillFolder, PIPELINE_FILE, readSkill, type SkillRead } from './skill.js';
import { letterProblems } from './skill-letter.js';
import { planOfSkill } from './skill-plan.js';
import { findSkill, type SkillPlaces, skillNames, skillRoots } from './skills.js';
import { readText } from './text.js';

export interface LoadOptions extends SkillPlaces {
  readonly kinds: readonly StepKind[];
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
  const read = await readTarget(skill, file, options, [skill]);
  const letter = options.strict ? letterProblems(skill) : [];
  return strictly({ ...read, problems: inOrder([...found.problems, ...letter, ...read.problems]) }, options);
}

interface Target extends SkillRead {
  readonly file?: string;
}

function findTarget(target: string, options: LoadOptions): Target {
  const absolute = path.resolve(options.cwd ?? options.projectDir, target);
  const isPath = /[\\/]/.test(target) || /\.(ya?ml|md)$/i.test(target) || target === '.';
  if (!isPath) {
    const found = findSkill(target, options);
    if (found.skill || found.dir || !existsSync(absolute)) return found;
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

/** @param chain the skills around it that run it, with itself last */
async function readTarget(
  skill: Skill,
  file: string | undefined,
  options: LoadOptions,
  chain: readonly Skill[],
): Promise<PlanRead> {
  if (!file && skill.runsAs === 'agent') return planOfSkill(skill, options, (name) => findSkill(name, options).skill);
  if (!file && skill.runsAs === 'next-loop') return { problems: [nextLoop(skill)] };
  const pipelineFile = file ?? path.join(skill.dir, PIPELINE_FILE);
  const read = readText(pipelineFile, [path.dirname(pipelineFile)]);
  if (read.type === 'fault') {
    return {
      problems: [
        {
          severity: 'error',
          rule: 'pipeline-unreadable',
          message: `The pipeline cannot be read. ${read.message}`,
          at: read.at,
        },
      ],
    };
  }
  const { source, problems } =
    chain.length === 1 ? override(read.source, options.overrides ?? {}) : { source: read.source, problems: [] };
  if (problems.length > 0) return { problems };
  return readPipeline(source, {
    skill,
    projectDir: options.projectDir,
    kinds: options.kinds,
    tools: options.tools,
    roles: options.roles,
    env: options.env,
    places: { dir: path.dirname(pipelineFile), roots: schemaRoots(path.dirname(pipelineFile), options) },
    findSkill: (name) => findSkill(name, options).skill,
    loadChild: async (child) => {
      const at = chain.findIndex(({ dir }) => dir === child.dir);
      if (at >= 0) return { cycle: [...chain.slice(at), child].map(({ name }) => name) };
      return readTarget(child, undefined, options, [...chain, child]);
    },
    skillNames: () => skillNames(options),
  });
}

/** This skill, the skills beside it, the project's `schemas/`. */
function schemaRoots(dir: string, options: LoadOptions): string[] {
  const parent = path.dirname(dir);
  const siblings = skillRoots(options).includes(parent) ? [parent] : [];
  return [dir, ...siblings, path.join(options.projectDir, 'schemas')];
}

function strictly(read: PlanRead, { strict }: LoadOptions): PlanRead {
  if (!strict || read.problems.length === 0) return read;
  return { problems: read.problems.map((problem): Problem => ({ ...problem, severity: 'error' })) };
}

function missingTarget(target: string, file: string): Problem {
  return {
    severity: 'error',
    rule: 'missing-target',
    message: `There is no file or folder "${target}".`,
    at: { file, line: 1, column: 1 },
  };
}

function nextLoop(skill: Skill): Problem {
  return {
    severity: 'error',
    rule: 'next-loop',
    message: `The skill "${skill.name}" is driven by its scripts/run.*; that comes with a later version.`,
    at: { file: skill.dir, line: 1, column: 1 },
    hint: 'Write a pipeline.yaml with steps, or run its script by hand.',
  };
}
