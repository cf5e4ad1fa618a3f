/** The pipeline whose steps are walked, the run's own or a child's: its plan, its values, its folders, its grants. */
import type { Folders } from '../core/context.js';
import type { JsonObject } from '../core/json.js';
import type { Permissions, Plan } from '../core/plan.js';
import type { Held } from '../files/held.js';
import type { RunRoots } from './scope.js';

export interface Running {
  readonly plan: Plan;
  readonly roots: RunRoots;
  /** The same roots with folders and ids by name, files by content: what a key may know. */
  readonly namedRoots: RunRoots;
  /** Without `query`. */
  readonly inputs: JsonObject;
  readonly permissions: Permissions;
  /** Input files outside of the folders that it may read. Absolute. */
  readonly readable: readonly string[];
  /** Real paths that must not change: see `StepContext`. */
  readonly held: Held;
  /** `run` is where its files are published. */
  readonly folders: Pick<Folders, 'run' | 'skill' | 'project' | 'inputs'>;
  /** Items of a loop that run at once unless it says otherwise. */
  readonly maxParallel: number;
  /** From the run's folder to its own: '' or `draft/`. */
  readonly prefix: string;
}

/** @param run its `dir` is where the files of this pipeline are published */
export function rootsFor(plan: Plan, query: string, inputs: JsonObject, run: JsonObject, projectDir: string): RunRoots {
  return {
    query,
    inputs: { query, ...inputs },
    run: { ...run, skill: plan.name },
    skill: { dir: plan.skill.dir },
    skills: Object.fromEntries(Object.entries(plan.skillDirs).map(([name, dir]) => [name, { dir }])),
    project: { dir: projectDir },
  };
}

export function namedRootsFor(plan: Plan, query: string, inputs: JsonObject): RunRoots {
  return {
    query,
    inputs: { query, ...inputs },
    run: { id: '«run.id»', slug: '«run.slug»', dir: '«run.dir»', skill: plan.name, started: '«run.started»' },
    skill: { dir: '«skill.dir»' },
    skills: Object.fromEntries(Object.keys(plan.skillDirs).map((name) => [name, { dir: `«skills.${name}.dir»` }])),
    project: { dir: '«project.dir»' },
  };
}
