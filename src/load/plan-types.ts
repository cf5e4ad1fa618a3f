/** What the check of a pipeline knows of the values of its runs, for who speaks of a run from outside. */
import type { Plan } from '../core/plan.js';
import type { Type } from './infer-types.js';

export interface PlanTypes {
  /** `steps.<id>` of every step of the file, at any depth, by id: each may have run or not. */
  steps(): ReadonlyMap<string, Type>;
  /** Of the whole pipeline. */
  result(): Type;
}

/** Beside the plans, which are plain data. */
const known = new WeakMap<Plan, PlanTypes>();

export function keepTypes(plan: Plan, types: PlanTypes): void {
  known.set(plan, types);
}

/** Undefined for a plan that was not read from a file. */
export function typesOfPlan(plan: Plan): PlanTypes | undefined {
  return known.get(plan);
}
