/** What each step of a run came to, folded from its journal; for people and other programs. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Recorded, UsageTotal } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Artifact, StepPath } from '../core/outcome.js';
import { NO_USAGE, withEvent } from '../core/usage.js';
import { realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { readJournal } from './journal.js';
import { type AttemptRecord, foldAttempt, settle } from './read-attempts.js';
import { runDirAt } from './run-dir.js';

export interface StepRecord {
  readonly path: StepPath;
  /** `interrupted`: begun, and its process ended before it was settled. `stopped`: cut off in good order. */
  status: 'running' | 'done' | 'reused' | 'skipped' | 'failed' | 'ended' | 'waiting' | 'stopped' | 'interrupted';
  ms?: number;
  /** Of the last attempt. */
  rounds: number;
  /** Of all attempts. */
  usage: UsageTotal;
  /** Labels of the models that answered in the last attempt. */
  models: readonly string[];
  /** Models that others took the place of, over all attempts. */
  fallbacks: { readonly from: string; readonly to: string; readonly fault: FaultData }[];
  attempts: AttemptRecord[];
  /** One entry a call of the last attempt, as `read_file notes.md`; a refused one says so. */
  tools: string[];
  reason?: string;
  fault?: FaultData;
  output: Json;
  outputBlob?: string;
  artifacts: readonly Artifact[];
}

/**
 * In the order in which they began, over all sessions.
 * @param live a process is at work on the run
 */
export function readSteps(journal: string, live: boolean): StepRecord[] {
  if (!fs.existsSync(journal)) return [];
  const blobs = createBlobs(runDirAt(dirname(journal)).blobs, realFiles);
  return foldedSteps((see) => readJournal(journal, blobs, see), live);
}

/** The same, of records that were read already. */
export function stepsOf(records: readonly Recorded[], live: boolean): StepRecord[] {
  return foldedSteps((see) => records.forEach(see), live);
}

function foldedSteps(eachRecord: (see: (event: Recorded) => void) => unknown, live: boolean): StepRecord[] {
  const steps = new Map<StepPath, StepRecord>();
  /** Begun in the session that is being read. */
  const begun = new Set<StepPath>();
  eachRecord((event) => {
    if (event.type === 'run_resumed' || event.type === 'run_ended') {
      settleOpen(steps);
      begun.clear();
    }
    fold(steps, begun, event);
  });
  if (!live) settleOpen(steps);
  return [...steps.values()];
}

/** What was begun and never settled when a session ended. A group waits if a step in it does. */
function settleOpen(steps: ReadonlyMap<StepPath, StepRecord>): void {
  const waiting = [...steps.values()].filter((step) => step.status === 'waiting');
  for (const step of steps.values()) {
    if (step.status !== 'running') continue;
    const waits = waiting.some((one) => one.path.startsWith(`${step.path}/`));
    step.status = waits ? 'waiting' : 'interrupted';
    const attempt = step.attempts.at(-1);
    if (attempt && step.status === 'interrupted') settle(attempt, 'interrupted');
  }
}

function fold(steps: Map<StepPath, StepRecord>, begun: Set<StepPath>, event: Recorded): void {
  if (!('path' in event)) return;
  const step = steps.get(event.path) ?? unknown(event.path);
  // It begins only now.
  if (step.status === 'skipped' && (event.type === 'step_started' || event.type === 'loop')) steps.delete(event.path);
  steps.set(event.path, step);
  const before = step.attempts.length;
  foldAttempt(step.attempts, event);
  const attempt = step.attempts.at(-1);
  step.usage = withEvent(step.usage, event);
  step.rounds = attempt?.rounds ?? 0;
  step.models = attempt?.models ?? [];
  switch (event.type) {
    case 'step_started':
      step.status = 'running';
      begun.add(event.path);
      delete step.fault;
      delete step.reason;
      if (event.key === '' || step.attempts.length > before) Object.assign(step, NOTHING_YET);
      if (!attempt?.goesOn && step.attempts.length > before) step.tools = [];
      return;
    case 'loop':
      step.status = 'running';
      delete step.fault;
      begun.add(event.path);
      return;
    case 'fallback':
      step.fallbacks.push({ from: event.from, to: event.to, fault: event.fault });
      return;
    case 'tool':
      step.tools.push(`${event.name}${event.target ? ` ${event.target}` : ''}${event.ok ? '' : ' (error)'}`);
      return;
    case 'tool_refused':
      step.tools.push(`${event.name} (refused)`);
      return;
    case 'step_done':
    case 'step_reused': {
      step.status = event.type === 'step_done' ? 'done' : 'reused';
      step.output = event.output;
      delete step.fault;
      step.artifacts = event.artifacts;
      if (event.outputBlob !== undefined) step.outputBlob = event.outputBlob;
      if (event.type === 'step_done') step.ms = event.ms;
      else if (event.from !== event.path) step.reason = `reused from ${event.from}`;
      return;
    }
    case 'step_failed':
      step.status = 'failed';
      step.fault = event.fault;
      step.ms = event.ms;
      return;
    case 'step_skipped':
      // An end says so also of what it cut off.
      step.status = begun.has(event.path) ? 'stopped' : 'skipped';
      step.reason = event.reason;
      delete step.fault;
      return;
    case 'step_ended':
      step.status = 'ended';
      step.reason = `${event.outcome}: ${event.message}`;
      return;
    case 'step_waiting':
      step.status = 'waiting';
      return;
    case 'step_stopped':
      step.status = 'stopped';
      step.fault = event.fault;
      return;
    default:
      return;
  }
}

/** What an attempt that begins anew has not come to. */
const NOTHING_YET = { output: null, artifacts: [], outputBlob: undefined, ms: undefined } as const;

function unknown(path: StepPath): StepRecord {
  const nothing = { usage: NO_USAGE, rounds: 0, models: [], fallbacks: [], attempts: [], tools: [] };
  return { path, status: 'running', ...nothing, output: null, artifacts: [] };
}
