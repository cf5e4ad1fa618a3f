/** The step of a plan that a person named. */
import { Fault } from '../core/faults.js';
import { type Plan, type Step, stepsIn } from '../core/plan.js';
import { nearest } from '../core/problems.js';

/**
 * The step that a person meant, by its id or by those of the groups around it as well.
 * @returns all ids from the outermost step: `rounds/audit`. Throws `input.unknown`.
 */
export function stepMeant(from: string | undefined, plan: Plan): string | undefined {
  if (from === undefined) return undefined;
  const all = [...stepsByIds(plan.steps).keys()];
  const meant = all.filter((path) => path === from || path.endsWith(`/${from}`));
  const [only, ...others] = meant.includes(from) ? [from] : meant;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new Fault('input.unknown', `"${from}" names ${meant.length} steps of "${plan.name}"`, {
      hint: `Write one of: ${meant.join(', ')}.`,
    });
  }
  const ids = [...new Set(all.flatMap((path) => path.split('/').at(-1) ?? []))];
  const near = nearest(from, [...ids, ...all]);
  throw new Fault('input.unknown', `no step of "${plan.name}" has the id "${from}"`, {
    hint: near ? `Did you mean "${near}"?` : `Steps: ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ', …' : ''}`,
  });
}

/** All steps by their ids, from the outermost: `rounds/audit`. */
export function stepsByIds(steps: readonly Step[], start = ''): ReadonlyMap<string, Step> {
  return new Map(
    steps.flatMap((step) => {
      const ids = `${start}${step.id}`;
      return [[ids, step] as const, ...stepsByIds(stepsIn(step), `${ids}/`)];
    }),
  );
}
