/** Where the interpreter stands, what it performs there, what it needs around it: the words that its parts share. */

import type { Clock } from '../core/context.js';
import type { Census, RunEvent } from '../core/events.js';
import { Fault, type FaultData, stopsTheRun, toFault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { StepOutcome, StepPath, Where } from '../core/outcome.js';
import type { LeafBody, Step } from '../core/plan.js';
import { type Halt, linked, skipReason } from './halt.js';
import type { RunDir } from './run-dir.js';
import type { Running } from './running.js';
import type { Frame } from './scope.js';

/** A list of steps in the run. */
export interface Place extends Where {
  readonly steps: readonly Step[];
  /** Folder below the run folder where files are published: '' or `search/3/`. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** Hashes over what its steps and those before them have published, by id; made anew with each attempt. */
  readonly hashes: Map<string, string>;
  /** The step whose body the list is, and the list that this step stands in. */
  readonly around?: { readonly step: Step; readonly place: Place };
}

/** One performance of a step's body, after foreach and repeat. */
export interface Task extends Where {
  readonly step: Step;
  readonly frame: Frame;
  /** The list that the step stands in. */
  readonly home: Place;
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** False inside the step's own `repeat`: its files are saved after the last round. */
  readonly saves: boolean;
}

/** One whose step is no group. */
export interface LeafTask extends Task {
  readonly body: LeafBody;
}

/** What a list of steps, or a whole run, came to. */
export type ListOutcome =
  | { readonly status: 'done'; readonly partial: boolean }
  | { readonly status: 'failed'; readonly id: string; readonly fault: FaultData }
  | { readonly status: 'waiting'; readonly ask: Json }
  | { readonly status: 'halted' };

/** An outcome, and whether something inside failed while the run went on. */
export interface Performed {
  readonly outcome: StepOutcome;
  readonly partial: boolean;
}

/** What the interpreter needs from the engine, for the pipeline whose steps it walks. */
export interface Surroundings extends Running {
  readonly halt: Halt;
  readonly clock: Clock;
  readonly runDir: RunDir;
  record(event: RunEvent): Promise<void>;
  list(frame: Frame, place: Place): Promise<ListOutcome>;
  /** Performs a leaf: key, look-up, attempts, validation, publishing. */
  leaf(task: LeafTask): Promise<StepOutcome>;
  /** Holds a group's output against its schema and asserts. Throws the fault that speaks against it. */
  judge(task: Task, output: Json): Promise<void>;
  /** Saves a composite's files, and records what it came to. */
  finish(task: Task, output: Json, begunMs: number): Promise<StepOutcome>;
  /** A loop has ended: what its steps published in an earlier round and not in this one goes. */
  loopEnded(where: Where): void;
  /** Paths in the run folder of what is published at or below this place. */
  published(where: Where): readonly string[];
  /** The same for a child pipeline. */
  enter(running: Running, halt: Halt): Surroundings;
  /** What the steps below this place have come to. */
  census(where: Where): Census;
}

export function whereOf(place: Place, step: Step): Where {
  return below(place, step.id, step.id);
}

/** One level deeper; an item's index is `*` in the family. */
export function below(where: Where, part: string, familyPart: string): Where {
  const join = (start: string, end: string) => (start === '' ? end : `${start}/${end}`);
  return { path: join(where.path, part), family: join(where.family, familyPart) };
}

/** A fault outside a leaf's attempt, e.g. an expression that has no value. */
export async function failed(path: StepPath, error: unknown, around: Surroundings): Promise<StepOutcome> {
  const fault = toFault(error);
  if (stopsTheRun(fault)) return { status: 'stopped', fault };
  await around.record({ type: 'step_failed', path, fault, ms: 0 });
  return { status: 'failed', fault };
}

/** What a step comes to that the run's end, a timeout around it or a sibling's failure cut off. */
export function cutOff(signal: AbortSignal, around: Surroundings): StepOutcome {
  const reason = around.halt.reason();
  if (reason?.type === 'stopped') return { status: 'stopped', fault: reason.fault };
  const fault: FaultData = signal.aborted
    ? toFault(signal.reason)
    : { code: 'run.cancelled', message: reason ? skipReason(reason) : 'the run stopped' };
  return stopsTheRun(fault) ? { status: 'stopped', fault } : { status: 'failed', fault };
}

/** What a list of steps came to that the run's end cut off: never a failure of its own. */
export function stoppedOutcome(signal: AbortSignal, around: Surroundings): StepOutcome {
  const cut = cutOff(signal, around);
  return cut.status === 'failed' ? { status: 'stopped', fault: cut.fault } : cut;
}

/**
 * Does the work under a signal that a time limit aborts with this fault.
 * @param timeMs undefined for no limit: then the signal is the parent's
 * @param work gets `hold` too: from its call until what it returns is called no time counts
 */
export async function within<T>(
  timeMs: number | undefined,
  fault: () => Fault,
  parent: AbortSignal,
  clock: Clock,
  work: (signal: AbortSignal, hold: () => () => void) => Promise<T>,
): Promise<T> {
  if (timeMs === undefined) return work(parent, holdNothing);
  const { controller, release } = linked(parent);
  const over = new AbortController();
  let held: Promise<void> | undefined;
  let heldMs = 0;
  const hold = () => {
    const begunMs = clock.now();
    let go: (() => void) | undefined;
    held = new Promise((resolve) => {
      go = resolve;
    });
    return () => {
      heldMs += clock.now() - begunMs;
      held = undefined;
      go?.();
    };
  };
  const expire = async (limitMs: number) => {
    for (let leftMs = limitMs; leftMs > 0; ) {
      await clock.sleep(leftMs, over.signal);
      await held;
      leftMs = heldMs;
      heldMs = 0;
    }
    if (!over.signal.aborted) controller.abort(fault());
  };
  expire(timeMs).catch(() => undefined);
  try {
    return await work(controller.signal, hold);
  } finally {
    release();
    over.abort(OVER);
  }
}

const holdNothing = () => () => undefined;

/** A reason of our own: the default one costs a stack trace at every step. */
const OVER = new Fault('run.cancelled', 'over');

/** `10 s`, `2 min`: as a person writes a limit. */
export function spoken(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 120_000 || ms % 60_000 !== 0 ? `${ms / 1_000} s` : `${ms / 60_000} min`;
}
