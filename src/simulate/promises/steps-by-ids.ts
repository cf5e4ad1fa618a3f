/** The steps of a plan by their ids, at any depth. */
import { type Plan, type Step, stepsIn } from '../../core/plan.js';

/** By ids; of a child pipeline below the step that runs it. */
export function stepsByIds(plan: Plan): ReadonlyMap<string, Step> {
  const known = maps.get(plan);
  if (known) return known;
  const map = new Map<string, Step>();
  const visit = (steps: readonly Step[], start: string) => {
    for (const step of steps) {
      map.set(`${start}${step.id}`, step);
      visit(stepsIn(step), `${start}${step.id}/`);
    }
  };
  visit(plan.steps, '');
  maps.set(plan, map);
  return map;
}

const maps = new WeakMap<Plan, ReadonlyMap<string, Step>>();
