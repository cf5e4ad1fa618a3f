/** The models that a plan needs, picked before anything runs: a missing one costs nothing. */
import { modelNames, refuseUnpriced } from '../core/asked-models.js';
import type { Plan } from '../core/plan.js';
import type { ModelChoice, PickedModels } from './models.js';

/** A model, and the names by which steps ask for it. */
export interface NamedChoice extends ModelChoice {
  readonly names: readonly string[];
}

export interface PlanModels {
  /** The first, a placeholder if any of them is one; undefined when no step calls a model. */
  readonly main: ModelChoice | undefined;
  /** Each once. */
  readonly all: readonly NamedChoice[];
}

export async function pickForPlan(plan: Plan, models: PickedModels): Promise<PlanModels> {
  const names = [...modelNames(plan)];
  const choices = await Promise.all(names.map((name) => models.describe(name)));
  refuseUnpriced(
    plan,
    choices.filter(({ host }) => host !== '').map(({ label }) => label),
  );
  const all = new Map<string, NamedChoice>();
  for (const [at, choice] of choices.entries()) {
    const key = `${choice.label} ${choice.host}`;
    const known = all.get(key);
    all.set(key, { ...(known ?? choice), names: [...(known?.names ?? []), names[at] ?? ''] });
  }
  const [first] = choices;
  const main = first && { ...first, placeholder: choices.some((choice) => choice.placeholder) };
  return { main, all: [...all.values()] };
}
