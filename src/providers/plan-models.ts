/** The models that a plan needs, picked before anything runs: a missing one costs nothing. */
import {
  type AskingStep,
  askingSteps,
  fallbackOf,
  hasUsdLimit,
  refuseBlind,
  refuseUnpriced,
} from '../core/asked-models.js';
import { Fault } from '../core/faults.js';
import type { Plan } from '../core/plan.js';
import type { ModelChoice, PickedModels } from './models.js';

/** A model, and the names by which steps ask for it. */
export interface NamedChoice extends ModelChoice {
  readonly names: readonly string[];
}

export interface PlanModels {
  /** The first, a placeholder if any of them is one; undefined when no step calls a model. */
  readonly main: ModelChoice | undefined;
  /** Each once; without those that only take the place of others. */
  readonly all: readonly NamedChoice[];
  /** Fallbacks that could not be used, for the person. */
  readonly notices: readonly string[];
}

/** Throws `provider.no_model`, or `config.invalid` for what a model cannot do that the plan asks of it. */
export async function pickForPlan(plan: Plan, models: PickedModels): Promise<PlanModels> {
  const steps = askingSteps(plan);
  const names = [...new Set(steps.flatMap((step) => step.models))];
  const choices = new Map<string, ModelChoice>();
  for (const name of names) choices.set(name, await models.describe(name));
  const standIns = (step: AskingStep) => fallbackOf(step, (name) => choices.get(name)?.fallback);

  const notices: string[] = [];
  const usable: string[] = [];
  for (const name of new Set(steps.flatMap(standIns))) {
    const reason = await unusable(name, models);
    if (reason === undefined) usable.push(name);
    else notices.push(`fallback "${name}" cannot be used: ${reason}`);
  }

  for (const step of steps.filter(({ images }) => images)) {
    const asked = [...step.models, ...standIns(step).filter((name) => usable.includes(name))];
    for (const model of await Promise.all(asked.map((name) => models.pick(name)))) refuseBlind(step.id, model);
  }
  if (hasUsdLimit(plan)) refuseUnpriced(plan, await unpriced([...names, ...usable], models));

  return { main: mainOf([...choices.values()]), all: distinct(choices), notices };
}

/** Undefined if it can be used. */
async function unusable(name: string, models: PickedModels): Promise<string | undefined> {
  try {
    await models.describe(name);
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.data.code === 'provider.no_model') return error.message;
    throw error;
  }
}

/** Labels of those whose price nobody knows. */
async function unpriced(names: readonly string[], models: PickedModels): Promise<string[]> {
  const labels = await Promise.all(
    names.map(async (name) => {
      const { label, price } = await models.pick(name);
      return (await price?.()) ? [] : [label];
    }),
  );
  return labels.flat();
}

function mainOf(choices: readonly ModelChoice[]): ModelChoice | undefined {
  const [first] = choices;
  return first && { ...first, placeholder: choices.some((choice) => choice.placeholder) };
}

function distinct(choices: ReadonlyMap<string, ModelChoice>): NamedChoice[] {
  const all = new Map<string, NamedChoice>();
  for (const [name, choice] of choices) {
    const key = `${choice.label} ${choice.host}`;
    const known = all.get(key);
    all.set(key, { ...(known ?? choice), names: [...(known?.names ?? []), name] });
  }
  return [...all.values()];
}
