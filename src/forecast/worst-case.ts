/** How many model calls and processes a plan can come to at most, and which limits stop it before. */
import type { Limits, Plan, Step } from '../core/plan.js';
import { stepsIn } from '../core/plan.js';

export interface WorstCase {
  /** Without the retries of a single call, which a service that fails may cause. */
  readonly calls: number;
  /** Attempts of steps that are processes; what agents start is not among them. */
  readonly processes: number;
  /** Calls by role or `provider/model-id`, as steps name them. */
  readonly callsByModel: Readonly<Record<string, number>>;
  /** What ends the run whatever the count is. */
  readonly limits: Limits;
}

/** How many items a loop has, where it is known before the run; 0 also for a step that is known to be skipped. */
export type ItemsOf = (step: Step) => number | undefined;

const unknown: ItemsOf = () => undefined;

export function worstCase(plan: Plan, itemsOf: ItemsOf = unknown): WorstCase {
  const totals = { calls: 0, processes: 0 };
  const callsByModel: Record<string, number> = {};
  const add = (steps: readonly Step[], times: number): void => {
    for (const step of steps) {
      const own = times * timesOf(step, itemsOf);
      const { calls, processes } = attemptOf(step);
      totals.calls = bounded(totals.calls + own * calls);
      totals.processes = bounded(totals.processes + own * processes);
      const model = modelOf(step);
      if (model !== undefined && own * calls > 0)
        callsByModel[model] = bounded((callsByModel[model] ?? 0) + own * calls);
      add(stepsIn(step), own);
    }
  };
  add(plan.steps, 1);
  return { ...totals, callsByModel, limits: plan.limits };
}

/** Model calls of this step and all it holds, over all its items, rounds and attempts. */
export function worstCalls(step: Step, itemsOf: ItemsOf = unknown): number {
  const inner = stepsIn(step).reduce((sum, one) => sum + worstCalls(one, itemsOf), 0);
  return bounded(timesOf(step, itemsOf) * (attemptOf(step).calls + inner));
}

/** Attempts of its body: items × rounds × attempts. */
function timesOf(step: Step, itemsOf: ItemsOf): number {
  const { foreach, repeat, retry } = step;
  const known = itemsOf(step);
  const items = known === 0 ? 0 : foreach ? Math.min(known ?? foreach.maxItems, foreach.maxItems) : 1;
  return items * (repeat?.max ?? 1) * Math.max(1, retry.attempts);
}

function attemptOf({ body }: Step): { readonly calls: number; readonly processes: number } {
  if (body.type !== 'leaf') return { calls: 0, processes: 0 };
  const { maxCalls, startsProcess } = body.inspection;
  return { calls: maxCalls, processes: startsProcess ? 1 : 0 };
}

function modelOf({ body }: Step): string | undefined {
  return body.type === 'leaf' ? body.inspection.models[0] : undefined;
}

/** Beyond that a number is no longer exact, and says nothing more. */
function bounded(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}
