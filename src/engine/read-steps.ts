/** What each step of a run came to, folded from its journal; for people and other programs. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Recorded } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Artifact, StepPath } from '../core/types.js';
import { realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { readJournal } from './journal.js';

export interface StepRecord {
  readonly path: StepPath;
  status: 'running' | 'done' | 'reused' | 'skipped' | 'failed' | 'ended' | 'waiting' | 'stopped';
  ms?: number;
  rounds: number;
  inputTokens: number;
  outputTokens: number;
  /** One entry a call, as `read_file notes.md`; a refused one says so. */
  tools: string[];
  reason?: string;
  fault?: FaultData;
  output: Json;
  outputBlob?: string;
  artifacts: readonly Artifact[];
}

/** In the order in which they began, over all sessions; of several attempts the last. */
export function readSteps(journal: string): StepRecord[] {
  const steps = new Map<StepPath, StepRecord>();
  if (!fs.existsSync(journal)) return [];
  const blobs = createBlobs(join(dirname(journal), '.steps', '.blobs'), realFiles);
  readJournal(journal, blobs, (event) => fold(steps, event));
  return [...steps.values()];
}

function fold(steps: Map<StepPath, StepRecord>, event: Recorded): void {
  if (!('path' in event)) return;
  const fresh = (): StepRecord => ({
    path: event.path,
    status: 'running',
    rounds: 0,
    inputTokens: 0,
    outputTokens: 0,
    tools: [],
    output: null,
    artifacts: [],
  });
  let step = steps.get(event.path);
  if (!step) {
    step = fresh();
    steps.set(event.path, step);
  }
  switch (event.type) {
    case 'step_started':
      if (event.because !== 'goes on after an interruption')
        Object.assign(step, fresh(), { fault: undefined, reason: undefined });
      step.status = 'running';
      return;
    case 'round':
      step.rounds = event.round;
      step.inputTokens += event.usage?.inputTokens ?? 0;
      step.outputTokens += event.usage?.outputTokens ?? 0;
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
      step.status = 'skipped';
      step.reason = event.reason;
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
