/** The models that a plan needs, picked before anything runs: a missing one costs nothing. */
import { Fault } from '../core/faults.js';
import type { Plan, Step } from '../core/plan.js';
import type { ModelChoice, PickedModels } from './models.js';

/** @returns the first model, a placeholder if any of them is one; undefined when no step calls a model */
export async function pickForPlan(plan: Plan, models: PickedModels): Promise<ModelChoice | undefined> {
  const choices = await Promise.all([...modelNames(plan.steps)].map((name) => models.describe(name)));
  const [first] = choices;
  if (!first) return undefined;
  refuseUnpriced(plan, first);
  return { ...first, placeholder: choices.some((choice) => choice.placeholder) };
}

/** A limit that could not be kept is refused before it could be passed. */
function refuseUnpriced(plan: Plan, model: ModelChoice): void {
  const limited = plan.limits.usd !== undefined || someStep(plan.steps, (step) => step.limits.usd !== undefined);
  if (!limited || model.host === '') return;
  throw new Fault('config.invalid', `"${plan.name}" has a limit in usd, but the price of ${model.label} is not known`, {
    hint: 'Prices come with a later version: use limits.tokens.',
  });
}

function someStep(steps: readonly Step[], holds: (step: Step) => boolean): boolean {
  return steps.some((step) => holds(step) || (step.body.type === 'group' && someStep(step.body.steps, holds)));
}

/** Without those that an expression names. */
function modelNames(steps: readonly Step[]): Set<string> {
  const names = new Set<string>();
  for (const { body } of steps) {
    const inner = body.type === 'group' ? modelNames(body.steps) : body.inspection.models;
    for (const name of inner) if (!name.includes('${{')) names.add(name);
  }
  return names;
}
