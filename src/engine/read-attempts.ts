/** The attempts at one step over all sessions, folded from the journal: how each ended, what it used. */
import type { Recorded, UsageTotal } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { StepPath } from '../core/outcome.js';
import { GOES_ON, GOES_ON_AFTER } from '../core/reasons.js';
import { NO_USAGE, withEvent } from '../core/usage.js';

export interface AttemptRecord {
  /** From 1, over all sessions. What goes on after an interruption is the same attempt. */
  readonly number: number;
  /** ISO 8601. */
  readonly began: string;
  status: 'running' | 'done' | 'failed' | 'ended' | 'waiting' | 'stopped' | 'interrupted';
  /** Of its conversation. */
  rounds: number;
  /** Calls of tools, refused ones among them. */
  toolCalls: number;
  usage: UsageTotal;
  /** Labels of the models that answered. */
  readonly models: string[];
  fault?: FaultData;
  /** A person told it to go on in the conversation of the attempt before it, which had failed: its rounds are numbered on. */
  readonly goesOn?: true;
}

/** @param attempts of the step that the event speaks of */
export function foldAttempt(attempts: AttemptRecord[], event: Recorded & { readonly path: StepPath }): void {
  const last = attempts.at(-1);
  if (event.type === 'step_started') {
    if (event.key === '') return;
    if (last && event.because === GOES_ON) takeUp(last);
    else attempts.push(begin(attempts, event));
    return;
  }
  if (!last) return;
  switch (event.type) {
    case 'round':
      last.rounds = event.round;
      if (!last.models.includes(event.model)) last.models.push(event.model);
      last.usage = withEvent(last.usage, event);
      return;
    case 'call_retry':
    case 'call_lost':
      last.usage = withEvent(last.usage, event);
      return;
    case 'tool':
    case 'tool_refused':
      last.toolCalls++;
      return;
    case 'step_retry':
    case 'step_failed':
      settle(last, 'failed', event.fault);
      return;
    case 'step_stopped':
      settle(last, 'stopped', event.fault);
      return;
    case 'step_skipped':
      settle(last, 'stopped');
      return;
    case 'step_done':
      settle(last, 'done');
      return;
    case 'step_ended':
      settle(last, 'ended');
      return;
    case 'step_waiting':
      settle(last, 'waiting');
      return;
    default:
      return;
  }
}

type Started = Extract<Recorded, { type: 'step_started' }>;

function begin(attempts: readonly AttemptRecord[], { at, because }: Started): AttemptRecord {
  const last = attempts.at(-1);
  if (last) settle(last, 'interrupted');
  const goesOn = last !== undefined && because === GOES_ON_AFTER;
  return {
    number: attempts.length + 1,
    began: at,
    status: 'running',
    rounds: goesOn ? last.rounds : 0,
    toolCalls: 0,
    usage: NO_USAGE,
    models: goesOn ? [...last.models] : [],
    ...(goesOn ? { goesOn } : {}),
  };
}

function takeUp(last: AttemptRecord): void {
  last.status = 'running';
  delete last.fault;
}

/** What is said of the step once its attempt has ended, says nothing of the attempt. */
export function settle(last: AttemptRecord, status: AttemptRecord['status'], fault?: FaultData): void {
  if (last.status !== 'running') return;
  last.status = status;
  if (fault) last.fault = fault;
}
