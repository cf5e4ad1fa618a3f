/** The steps around a place that run another pipeline: what stands below one is that pipeline's own matter. */
import type { StepPath } from '../../core/outcome.js';
import { type Plan, type Step, stepsByIds } from '../../core/plan.js';
import { idsOf } from '../../core/step-path.js';

/** Outer ones first; none for what belongs to the run's own pipeline. */
function childrenAround(path: StepPath, plan: Plan): Step[] {
  const steps = stepsByIds(plan);
  const ids = idsOf(path).split('/');
  return ids.flatMap((_, at) => {
    const around = steps.get(ids.slice(0, at).join('/'));
    return around?.body.type === 'child' ? [around] : [];
  });
}

/** An end there ends only that pipeline. */
export function isInChild(path: StepPath, plan: Plan): boolean {
  return childrenAround(path, plan).length > 0;
}

/** Whether its failure makes no run partial: a pipeline around it says `accept_partial`. */
export function isAccepted(path: StepPath, plan: Plan): boolean {
  return (
    plan.acceptPartial ||
    childrenAround(path, plan).some(({ body }) => body.type === 'child' && body.plan.acceptPartial)
  );
}
