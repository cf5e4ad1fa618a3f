/** A pipeline that is read and checked once, to be run many times: its steps tell the simulation what they are given. */
import { join } from 'node:path';
import type { StepContext } from '../core/context.js';
import { isObject, type Json, type JsonSchema } from '../core/json.js';
import type { StepKind } from '../core/kind.js';
import type { Plan, Step } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { checkInputs, type InputProblem, type Inputs } from '../load/given-inputs.js';
import type { Project } from '../load/open-project.js';
import { checkPipeline, openProject, STEP_KINDS } from '../run.js';
import type { Draw } from './choices/choices.js';
import type { Ladders } from './values/accepted.js';
import { type Hints, hintsOf } from './values/kinships.js';
import { tooLargeFor } from './values/too-large.js';
import { drawValue, NO_POOL } from './values/values.js';

export interface Compiled {
  readonly target: string;
  readonly plan: Plan;
  readonly project: Project;
  /** At least one, the plainest first: each run is given one. */
  readonly queries: readonly string[];
  readonly inputs: Inputs;
  readonly problems: readonly Problem[];
  readonly hints: ReadonlyMap<Step, Hints>;
  ladders: Ladders;
  /** Told the context of each attempt before it begins. */
  onAttempt: ((context: StepContext) => void) | undefined;
}

export interface Wanted {
  readonly target: string;
  readonly cwd: string;
  readonly skillsDirs?: readonly string[];
  /** One, or several of which each run is given one; of an empty list it is the plan's description. */
  readonly query: string | readonly string[];
  readonly inputs: Readonly<Record<string, Json>>;
}

/** Without the machine's environment: a run of the simulation is the same everywhere. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/nobody' };

/** Why there is nothing to run: mistakes of the files, or else inputs that do not fit. */
export interface Refused {
  readonly problems: readonly Problem[];
  readonly inputs: readonly InputProblem[];
}

export async function compile(wanted: Wanted): Promise<{ readonly compiled: Compiled } | Refused> {
  let compiled: Compiled | undefined;
  const telling = (kind: StepKind): StepKind => ({
    ...kind,
    run(config, context) {
      compiled?.onAttempt?.(context);
      return kind.run(config, context);
    },
  });
  const { skillsDirs = [], cwd, target, query } = wanted;
  const around = { cwd, env: process.env, skillsDirs, kinds: STEP_KINDS.map(telling) };
  const checked = await checkPipeline(target, around);
  if (!checked.plan || hasErrors(checked.problems)) return { problems: checked.problems, inputs: [] };
  const tooLarge = tooLargeFor(checked.plan);
  if (tooLarge.length > 0) return { problems: tooLarge, inputs: [] };
  const inputs = await checkInputs(checked.plan, { ...plainInputs(checked.plan), ...wanted.inputs }, cwd);
  if (inputs.problems.length > 0) return { problems: [], inputs: inputs.problems };
  const queries = typeof query === 'string' ? [query] : query;
  const project = openProject({ ...around, env: { ...process.env, ...ENVIRONMENT } });
  compiled = {
    target,
    plan: checked.plan,
    project,
    queries: queries.length > 0 ? queries : [checked.plan.description],
    inputs,
    problems: checked.problems,
    hints: hintsOf(checked.plan),
    ladders: { rungs: new Map(), isOpen: true },
    onAttempt: undefined,
  };
  return { compiled };
}

/** For what has no default and nobody gives: the plainest value that its schema allows. */
function plainInputs({ inputs }: Plan): Record<string, Json> {
  const properties = isObject(inputs.properties) ? inputs.properties : {};
  const needed = Array.isArray(inputs.required) ? inputs.required : [];
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const isGiven =
        !needed.includes(name) || (isObject(schema) && (schema.default !== undefined || schema.format === 'path'));
      return isGiven ? [] : [[name, drawValue(schema as JsonSchema, PLAINEST, NO_POOL)] as const];
    }),
  );
}

const PLAINEST: Draw = { pick: () => 0, rarely: () => 0 };

export { ENVIRONMENT, PLAINEST };

/** Where the simulated runs of a pipeline lie. */
export function runsDirOf(root: string, plan: Plan): string {
  return join(root, 'skill_run', plan.name);
}
