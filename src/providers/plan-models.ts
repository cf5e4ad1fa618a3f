/** The models that a plan needs, picked before anything runs: a missing one costs nothing. */
import { modelNames, refuseUnpriced } from '../core/asked-models.js';
import type { Plan } from '../core/plan.js';
import type { ModelChoice, PickedModels } from './models.js';

/** @returns the first model, a placeholder if any of them is one; undefined when no step calls a model */
export async function pickForPlan(plan: Plan, models: PickedModels): Promise<ModelChoice | undefined> {
  const choices = await Promise.all([...modelNames(plan)].map((name) => models.describe(name)));
  const [first] = choices;
  if (!first) return undefined;
  refuseUnpriced(
    plan,
    choices.filter(({ host }) => host !== '').map(({ label }) => label),
  );
  return { ...first, placeholder: choices.some((choice) => choice.placeholder) };
}
