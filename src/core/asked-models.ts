/** What a plan asks of models: their names, a price where it has a limit in usd. */
import { Fault } from './faults.js';
import { everyStep, type Plan } from './plan.js';

/** Roles or `provider/model-id`s, without those that an expression names. */
export function modelNames({ steps }: Plan): Set<string> {
  const names = everyStep(steps).flatMap(({ body }) => (body.type === 'leaf' ? body.inspection.models : []));
  return new Set(names.filter((name) => !name.includes('${{')));
}

export function hasUsdLimit({ limits, steps }: Plan): boolean {
  return limits.usd !== undefined || everyStep(steps).some((step) => step.limits.usd !== undefined);
}

/**
 * A limit that could not be kept is refused before it could be passed.
 * @param hosted labels of the models that are asked over a network
 */
export function refuseUnpriced(plan: Plan, hosted: readonly string[]): void {
  const [label] = hosted;
  if (label === undefined || !hasUsdLimit(plan)) return;
  throw new Fault('config.invalid', `"${plan.name}" has a limit in usd, but the price of ${label} is not known`, {
    hint: 'Prices come with a later version: use limits.tokens.',
  });
}
