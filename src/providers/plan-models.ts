/** The models that a plan needs, picked before anything runs: a missing one costs nothing. */
import { Fault } from '../core/faults.js';
import { everyStep, type Plan } from '../core/plan.js';
import type { ModelChoice, PickedModels } from './models.js';

/** @returns the first model, a placeholder if any of them is one; undefined when no step calls a model */
export async function pickForPlan(plan: Plan, models: PickedModels): Promise<ModelChoice | undefined> {
  const choices = await Promise.all([...modelNames(plan)].map((name) => models.describe(name)));
  const [first] = choices;
  if (!first) return undefined;
  refuseUnpriced(plan, first);
  return { ...first, placeholder: choices.some((choice) => choice.placeholder) };
}

/** A limit that could not be kept is refused before it could be passed. */
function refuseUnpriced(plan: Plan, model: ModelChoice): void {
  const limited = plan.limits.usd !== undefined || everyStep(plan.steps).some((step) => step.limits.usd !== undefined);
  if (!limited || model.host === '') return;
  throw new Fault('config.invalid', `"${plan.name}" has a limit in usd, but the price of ${model.label} is not known`, {
    hint: 'Prices come with a later version: use limits.tokens.',
  });
}

/** Without those that an expression names. */
function modelNames({ steps }: Plan): Set<string> {
  const names = everyStep(steps).flatMap(({ body }) => (body.type === 'leaf' ? body.inspection.models : []));
  return new Set(names.filter((name) => !name.includes('${{')));
}
