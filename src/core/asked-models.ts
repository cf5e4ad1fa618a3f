/** What a plan asks of models: their names, eyes for its images, a price where it has a limit in usd. */
import { Fault } from './faults.js';
import { everyStep, type Plan } from './plan.js';

/** A step that asks models. Names are roles or `provider/model-id`s, without those that an expression names. */
export interface AskingStep {
  readonly id: string;
  readonly models: readonly string[];
  /** Named by the step itself; where it names none, those of its models' roles count. */
  readonly fallback: readonly string[];
  readonly images: boolean;
}

export function askingSteps({ steps }: Plan): AskingStep[] {
  const named = (names: readonly string[]) => names.filter((name) => !name.includes('${{'));
  return everyStep(steps).flatMap(({ id, body }) => {
    if (body.type !== 'leaf') return [];
    const { models, fallback = [], images = false } = body.inspection;
    return models.length === 0 ? [] : [{ id, models: named(models), fallback: named(fallback), images }];
  });
}

/** Without those that only take the place of others. */
export function modelNames(plan: Plan): Set<string> {
  return new Set(askingSteps(plan).flatMap(({ models }) => models));
}

/**
 * Names of the models that take the place of a step's own.
 * @param ofName those that stand behind a name by themselves
 */
export function fallbackOf(
  { models, fallback }: AskingStep,
  ofName: (name: string) => readonly string[] | undefined,
): readonly string[] {
  return fallback.length > 0 ? fallback : models.flatMap((name) => ofName(name) ?? []);
}

export function hasUsdLimit({ limits, steps }: Plan): boolean {
  return limits.usd !== undefined || everyStep(steps).some((step) => step.limits.usd !== undefined);
}

/**
 * A limit that could not be kept is refused before it could be passed.
 * @param unpriced labels of the models whose price nobody knows
 */
export function refuseUnpriced(plan: Plan, unpriced: readonly string[]): void {
  const [label] = unpriced;
  if (label === undefined || !hasUsdLimit(plan)) return;
  throw new Fault('config.invalid', `"${plan.name}" has a limit in usd, but the price of ${label} is not known`, {
    hint: `Give the model a role in pipeline.config.yaml with its price, in US dollars per million tokens: price: { input: 2, output: 10 }; or use limits.tokens.`,
  });
}

/** A model that is to be shown images. */
export interface Shown {
  /** `provider/model-id`. */
  readonly label: string;
  /** Undefined if nobody knows. */
  readonly sees?: boolean | undefined;
}

/** Why a model may not be shown images, as half a sentence; undefined if it may. A stand-in may: it looks at nothing. */
export function blindness({ label, sees }: Shown): string | undefined {
  if (sees) return undefined;
  return `${label} ${sees === false ? 'takes no images' : 'is not known to take images'}`;
}

export function refuseBlind(step: string, model: Shown): void {
  const reason = blindness(model);
  if (reason === undefined) return;
  throw new Fault('config.invalid', `step "${step}" shows images to its model, but ${reason}`, {
    hint: 'Name another model for the step; if this one does take images, say so in its role of pipeline.config.yaml: images: true',
  });
}
