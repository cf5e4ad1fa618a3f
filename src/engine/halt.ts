/** Why a run stops before its end: set once, heard by everything that still runs. */
import { setMaxListeners } from 'node:events';
import { Fault, type FaultData } from '../core/faults.js';
import type { EndStatus } from '../core/kind.js';

export type HaltReason =
  | {
      readonly type: 'ended';
      readonly by: string;
      readonly outcome: string;
      readonly as: EndStatus;
      readonly message: string;
    }
  /** A step failed and the plan says `on_failure: stop`. */
  | { readonly type: 'failed'; readonly by: string; readonly fault: FaultData }
  /** Limit, quota, Ctrl-C: resumable. */
  | { readonly type: 'stopped'; readonly fault: FaultData };

export interface Halt {
  readonly signal: AbortSignal;
  reason(): HaltReason | undefined;
  /** The first reason counts. `gently`: nothing new starts, but what runs may finish its call. */
  set(reason: HaltReason, how?: 'at once' | 'gently'): void;
}

export function createHalt(): Halt {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let first: HaltReason | undefined;
  return {
    signal: controller.signal,
    reason: () => first,
    set(reason, how = 'at once') {
      first ??= reason;
      if (how === 'at once' && !controller.signal.aborted) controller.abort(abortFault(reason));
    },
  };
}

/**
 * A child pipeline's: its own end, or a step that stops it, is its own matter; what stops the run stops both.
 * @param signal of the step whose body it is
 */
export function createChildHalt(
  parent: Halt,
  signal: AbortSignal,
): Halt & { own(): HaltReason | undefined; release(): void } {
  const { controller, release } = linked(signal);
  let first: HaltReason | undefined;
  return {
    signal: controller.signal,
    own: () => first,
    reason: () => first ?? parent.reason(),
    set(reason, how = 'at once') {
      if (reason.type === 'stopped') return parent.set(reason, how);
      first ??= reason;
      if (how === 'at once' && !controller.signal.aborted) controller.abort(abortFault(reason));
    },
    release,
  };
}

function abortFault(reason: HaltReason): Fault {
  if (reason.type === 'stopped') return Fault.from(reason.fault);
  return new Fault('run.cancelled', skipReason(reason));
}

/** What a step says that was cancelled, or never started, because of it. */
export function skipReason(reason: HaltReason): string {
  if (reason.type === 'ended') return `ended by ${reason.by}`;
  if (reason.type === 'failed') return `stopped because ${reason.by} failed`;
  return reason.fault.message;
}

/** A controller that follows its parent; `release` when the work is over, so that listeners do not pile up. */
export function linked(parent: AbortSignal): { readonly controller: AbortController; release(): void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return { controller, release: () => parent.removeEventListener('abort', follow) };
}
