/** The plan's tree: needs, when, fences. Knows neither what steps do nor where results are kept. */
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { StepOutcome, StepPath } from '../core/outcome.js';
import type { Step } from '../core/plan.js';
import { blockedBy, whenFalse } from '../core/reasons.js';
import { skipReason } from './halt.js';
import { runLoops } from './loops.js';
import {
  failed,
  type ListOutcome,
  type Performed,
  type Place,
  type Surroundings,
  spoken,
  whereOf,
  within,
} from './place.js';
import { evaluateIn, type Frame, viewOf } from './scope.js';
import { allOf } from './slots.js';

interface Settled extends Performed {
  /** Whether those that need it can start. */
  readonly next: 'go' | 'blocked' | 'wait' | 'halted';
  /** Of a blocked one: the step whose failure is the cause. */
  readonly cause?: string;
  /** `steps.<id>.failures` of a foreach. */
  readonly failures: readonly Json[];
}

export async function runList(frame: Frame, place: Place, around: Surroundings): Promise<ListOutcome> {
  const settled = new Map<string, Promise<Settled>>();
  for (const step of place.steps) {
    const needs = step.after.map((id) => settled.get(id)).filter((need) => need !== undefined);
    const waitAndRun = async (): Promise<Settled> => {
      const result = await settle(step, await Promise.all(needs), frame, place, around);
      frame.steps.set(step.id, viewOf(result.outcome, result.failures));
      return result;
    };
    settled.set(step.id, waitAndRun());
  }
  const all = await allOf([...settled.values()]);
  if (around.halt.reason()) return { status: 'halted' };
  for (const [at, { outcome, next }] of all.entries()) {
    if (outcome.status === 'failed' && next === 'blocked') {
      return { status: 'failed', id: place.steps[at]?.id ?? '', fault: outcome.fault };
    }
  }
  for (const { outcome } of all) if (outcome.status === 'waiting' && outcome.ask !== null) return outcome;
  return { status: 'done', partial: all.some((one) => one.partial) };
}

async function settle(
  step: Step,
  before: readonly Settled[],
  frame: Frame,
  place: Place,
  around: Surroundings,
): Promise<Settled> {
  const { path } = whereOf(place, step);
  if (around.halt.reason()) return neverStarted(path, around);
  if (before.some((one) => one.next === 'wait')) {
    return { outcome: { status: 'waiting', ask: null }, next: 'wait', partial: false, failures: [] };
  }
  const blocker = before.find((one) => one.next === 'blocked');
  if (blocker) {
    const { cause = '' } = blocker;
    return { ...(await skip(path, blockedBy(cause), around)), next: 'blocked', cause };
  }
  try {
    if (step.when && evaluateIn(step.when, frame, around.roots) !== true) {
      return await skip(path, whenFalse(step.when.source), around);
    }
  } catch (error) {
    const outcome = await failed(path, error, around);
    return afterwards(step, path, { outcome, failures: [], partial: false }, around);
  }
  const limit = () => {
    const message = `step "${step.id}" took longer than its time limit of ${spoken(step.limits.timeMs ?? 0)}`;
    return new Fault('run.limit', message, { hint: 'Raise limits.time of the step, then resume the run.' });
  };
  const result = await within(step.limits.timeMs, limit, place.signal, around.clock, (signal) =>
    runLoops(step, frame, signal === place.signal ? place : { ...place, signal }, around),
  );
  return afterwards(step, path, result, around);
}

async function skip(path: StepPath, reason: string, around: Surroundings): Promise<Settled> {
  await around.record({ type: 'step_skipped', path, reason });
  return { outcome: { status: 'skipped', reason }, next: 'go', partial: false, failures: [] };
}

/** What an outcome means for the rest of the run. */
async function afterwards(
  step: Step,
  path: StepPath,
  result: Performed & { readonly failures: readonly Json[] },
  around: Surroundings,
): Promise<Settled> {
  const { outcome, failures } = result;
  switch (outcome.status) {
    case 'done':
      return { outcome, next: 'go', partial: result.partial || failures.length > 0, failures };
    case 'skipped':
      return { outcome, next: 'go', partial: result.partial, failures };
    case 'waiting':
      return { outcome, next: 'wait', partial: result.partial, failures };
    case 'ended': {
      const { outcome: name, as, message } = outcome;
      around.halt.set({ type: 'ended', by: step.id, outcome: name, as, message });
      return { outcome, next: 'halted', partial: false, failures };
    }
    case 'stopped': {
      const reason = around.halt.reason();
      if (reason && reason.type !== 'stopped') return neverStarted(path, around);
      around.halt.set({ type: 'stopped', fault: outcome.fault }, 'gently');
      return { outcome, next: 'halted', partial: false, failures };
    }
    case 'failed':
      if (step.onError === 'continue' && outcome.fault.code !== 'run.unanswered')
        return { outcome, next: 'go', partial: true, failures };
      if (around.plan.onFailure === 'stop') around.halt.set({ type: 'failed', by: step.id, fault: outcome.fault });
      return { outcome, next: 'blocked', cause: step.id, partial: false, failures };
  }
}

/** Cancelled or not begun because the run stops: an end says so of each step, a stop leaves them for the resume. */
async function neverStarted(path: StepPath, around: Surroundings): Promise<Settled> {
  const reason = around.halt.reason();
  const text = reason ? skipReason(reason) : 'the run stopped';
  const outcome: StepOutcome = { status: 'skipped', reason: text };
  if (reason && reason.type !== 'stopped') await around.record({ type: 'step_skipped', path, reason: text });
  return { outcome, next: 'halted', partial: false, failures: [] };
}
