/** The plan's tree: needs, when, fences, groups. Knows neither what steps do nor where results are kept. */

import type { RunEvent } from '../core/events.js';
import type { Template } from '../core/expression.js';
import type { FaultData } from '../core/faults.js';
import { Fault, toFault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Clock, Plan, Step, StepOutcome, StepPath } from '../core/types.js';
import type { Halt } from './halt.js';
import { linked, skipReason } from './halt.js';
import { runLoops } from './loops.js';
import { evaluateIn, type Frame, type RunRoots, renderIn, viewOf } from './scope.js';
import { allOf } from './slots.js';

/** Where a list of steps stands in the run. */
export interface Place {
  /** '' at the top, else the path of the group, item or round: `rounds/2`. */
  readonly path: StepPath;
  /** Folder below the run folder where its files are published: '' or `search/3/`. */
  readonly prefix: string;
  readonly signal: AbortSignal;
}

/** One performance of a step's body, after foreach and repeat. */
export interface Task {
  readonly step: Step;
  readonly path: StepPath;
  readonly frame: Frame;
  readonly place: Place;
  /** False inside the step's own `repeat`: its files are saved after the last round. */
  readonly saves: boolean;
}

/** What the interpreter needs from the engine around it. */
export interface Surroundings {
  readonly plan: Plan;
  readonly roots: RunRoots;
  readonly halt: Halt;
  readonly clock: Clock;
  record(event: RunEvent): Promise<void>;
  /** Performs a leaf: key, look-up, attempts, validation, publishing. */
  leaf(task: Task): Promise<StepOutcome>;
  /** Holds the output of a group against its schema and asserts, and saves it. */
  accept(task: Task, output: Json): Promise<StepOutcome>;
}

/** What a list of steps, or a whole run, came to. */
export type ListOutcome =
  | { readonly status: 'done'; readonly partial: boolean; readonly frame: Frame }
  | { readonly status: 'failed'; readonly id: string; readonly fault: FaultData }
  | { readonly status: 'waiting'; readonly ask: Json }
  | { readonly status: 'halted' };

interface Settled {
  readonly outcome: StepOutcome;
  /** Whether those that need it can start. */
  readonly next: 'go' | 'blocked' | 'wait' | 'halted';
  /** Of a blocked one: the step whose failure is the cause. */
  readonly cause?: string;
  /** It failed, or items of it did, and the run went on. */
  readonly partial: boolean;
}

export async function runList(
  steps: readonly Step[],
  frame: Frame,
  place: Place,
  around: Surroundings,
): Promise<ListOutcome> {
  const settled = new Map<string, Promise<Settled>>();
  let first: { id: string; fault: FaultData } | undefined;
  for (const step of steps) {
    const needs = step.after.map((id) => settled.get(id)).filter((need) => need !== undefined);
    const waitAndRun = async (): Promise<Settled> => {
      const before = await Promise.all(needs);
      const result = await settle(step, before, frame, place, around);
      frame.steps.set(step.id, viewOf(result.outcome, result.failures));
      if (result.outcome.status === 'failed' && result.next === 'blocked')
        first ??= { id: step.id, fault: result.outcome.fault };
      return result;
    };
    settled.set(step.id, waitAndRun());
  }
  const all = await allOf([...settled.values()]);
  if (around.halt.reason()) return { status: 'halted' };
  if (first) return { status: 'failed', ...first };
  const waiting = all.find((one) => one.outcome.status === 'waiting');
  if (waiting?.outcome.status === 'waiting') return { status: 'waiting', ask: waiting.outcome.ask };
  return { status: 'done', partial: all.some((one) => one.partial), frame };
}

async function settle(
  step: Step,
  before: readonly Settled[],
  frame: Frame,
  place: Place,
  around: Surroundings,
): Promise<Settled & { readonly failures: readonly Json[] }> {
  const path = pathOf(place, step);
  const none = { failures: [] as readonly Json[] };
  const halted = around.halt.reason();
  if (halted) return { ...(await neverStarted(path, around)), ...none };
  if (before.some((one) => one.next === 'wait')) {
    return { outcome: { status: 'waiting', ask: null }, next: 'wait', partial: false, ...none };
  }
  const blocker = before.find((one) => one.next === 'blocked');
  if (blocker) {
    const { cause = '' } = blocker;
    const reason = `blocked by ${cause}`;
    await around.record({ type: 'step_skipped', path, reason });
    return { outcome: { status: 'skipped', reason }, next: 'blocked', cause, partial: false, ...none };
  }
  try {
    if (step.when && evaluateIn(step.when, frame, around.roots) !== true) {
      const reason = `when ${step.when.source} is false`;
      await around.record({ type: 'step_skipped', path, reason });
      return { outcome: { status: 'skipped', reason }, next: 'go', partial: false, ...none };
    }
  } catch (error) {
    return { ...(await afterwards(step, path, await failed(path, error, around), around)), ...none };
  }
  const { outcome, failures, partial } = await withinTime(step, place, around, (at) =>
    runLoops(step, frame, at, around),
  );
  const result = await afterwards(step, path, outcome, around);
  return {
    ...result,
    partial: result.partial || partial || (outcome.status === 'done' && failures.length > 0),
    failures,
  };
}

/** The step's own time limit, over all its attempts and items: reaching it stops the run, resumable. */
async function withinTime<T>(
  step: Step,
  place: Place,
  around: Surroundings,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const { timeMs } = step.limits;
  if (timeMs === undefined) return work(place);
  const { controller, release } = linked(place.signal);
  const over = new AbortController();
  const message = `step "${step.id}" took longer than its time limit of ${timeMs / 1000} s`;
  around.clock.sleep(timeMs, over.signal).then(
    () => controller.abort(new Fault('run.limit', message, { hint: 'Raise limits.time of the step, then --resume.' })),
    () => undefined,
  );
  try {
    return await work({ ...place, signal: controller.signal });
  } finally {
    release();
    over.abort();
  }
}

/** What an outcome means for the rest of the run. */
async function afterwards(step: Step, path: StepPath, outcome: StepOutcome, around: Surroundings): Promise<Settled> {
  switch (outcome.status) {
    case 'done':
    case 'skipped':
      return { outcome, next: 'go', partial: false };
    case 'waiting':
      return { outcome, next: 'wait', partial: false };
    case 'ended': {
      const { outcome: name, as, message } = outcome;
      around.halt.set({ type: 'ended', by: step.id, outcome: name, as, message });
      return { outcome, next: 'halted', partial: false };
    }
    case 'stopped': {
      const reason = around.halt.reason();
      if (reason && reason.type !== 'stopped') return neverStarted(path, around);
      around.halt.set({ type: 'stopped', fault: outcome.fault }, 'gently');
      return { outcome, next: 'halted', partial: false };
    }
    case 'failed':
      if (step.onError === 'continue') return { outcome, next: 'go', partial: true };
      if (around.plan.onFailure === 'stop') around.halt.set({ type: 'failed', by: step.id, fault: outcome.fault });
      return { outcome, next: 'blocked', cause: step.id, partial: false };
  }
}

/** Cancelled or not begun because the run stops: an end says so of each step, a stop leaves them for the resume. */
async function neverStarted(path: StepPath, around: Surroundings): Promise<Settled> {
  const reason = around.halt.reason();
  const text = reason ? skipReason(reason) : 'the run stopped';
  if (reason && reason.type !== 'stopped') await around.record({ type: 'step_skipped', path, reason: text });
  return { outcome: { status: 'skipped', reason: text }, next: 'halted', partial: false };
}

/** A fault outside a leaf's attempt, e.g. an expression that has no value. */
export async function failed(path: StepPath, error: unknown, around: Surroundings): Promise<StepOutcome> {
  const fault = toFault(error);
  await around.record({ type: 'step_failed', path, fault, ms: 0 });
  return { status: 'failed', fault };
}

/** Performs a group's steps in a scope of their own; its outcome, not yet accepted. */
export async function runGroup(
  body: { readonly steps: readonly Step[]; readonly result?: Template },
  frame: Frame,
  place: Place,
  around: Surroundings,
): Promise<{ readonly outcome: StepOutcome; readonly partial: boolean }> {
  const list = await runList(body.steps, frame, place, around);
  const reason = around.halt.reason();
  switch (list.status) {
    case 'halted':
      return { outcome: haltedOutcome(reason), partial: false };
    case 'waiting':
      return { outcome: { status: 'waiting', ask: list.ask }, partial: false };
    case 'failed': {
      const fault = { ...list.fault, message: `step "${list.id}": ${list.fault.message}` };
      return { outcome: { status: 'failed', fault }, partial: false };
    }
    case 'done': {
      const output = body.result
        ? renderIn(body.result, frame, around.roots)
        : Object.fromEntries(body.steps.map((step) => [step.id, frame.steps.get(step.id)?.output ?? null]));
      return { outcome: { status: 'done', output, artifacts: [] }, partial: list.partial };
    }
  }
}

function haltedOutcome(reason: ReturnType<Halt['reason']>): StepOutcome {
  const fault: FaultData =
    reason?.type === 'stopped'
      ? reason.fault
      : { code: 'run.cancelled', message: reason ? skipReason(reason) : 'the run stopped' };
  return { status: 'stopped', fault };
}

export function pathOf(place: Place, step: Step): StepPath {
  return place.path === '' ? step.id : `${place.path}/${step.id}`;
}
