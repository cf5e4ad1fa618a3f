/** How large a pipeline is with all that its steps run, which may be far more than what is written. */
import type { Plan, Step } from '../core/plan.js';

/** In all pipelines together, each as often as it is run. */
export const MAX_STEPS = 10_000;
/** Pipelines in pipelines. */
export const MAX_LEVELS = 64;

export interface PlanSize {
  readonly steps: number;
  /** 1 for a pipeline that runs no other. */
  readonly levels: number;
}

/** @param child of what one more step runs; undefined if that has errors */
export function addedTo(size: PlanSize, child: PlanSize | undefined): PlanSize {
  if (!child) return size;
  return { steps: size.steps + child.steps, levels: Math.max(size.levels, 1 + child.levels) };
}

export function isTooLarge({ steps, levels }: PlanSize): boolean {
  return steps > MAX_STEPS || levels > MAX_LEVELS;
}

/** A pipeline that several steps run is read once: here each of them is given steps of its own, which can be told apart. */
export function unfolded(plan: Plan): Plan {
  return { ...plan, steps: plan.steps.map(unfoldedStep) };
}

function unfoldedStep(step: Step): Step {
  const { body } = step;
  switch (body.type) {
    case 'leaf':
      return { ...step };
    case 'group':
      return { ...step, body: { ...body, steps: body.steps.map(unfoldedStep) } };
    case 'child':
      return { ...step, body: { ...body, plan: unfolded(body.plan) } };
  }
}
