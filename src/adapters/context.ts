/** What an agent may touch that no run surrounds: a folder of its own, no journal, no limit, no process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldersIn, stepOfNoPlan, UNLIMITED } from '../agent/no-run.js';
import { systemClock } from '../core/clock.js';
import type { Clock, StepContext } from '../core/context.js';
import type { StepEvent } from '../core/events.js';
import { Fault } from '../core/faults.js';
import type { JsonSchema } from '../core/json.js';
import { compileSchema } from '../core/schema.js';

/** What a caller may say of one performance. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Of the model, as it streams. */
  readonly onText?: (text: string) => void;
  /** Rounds, calls of tools, retries, as a run would record them. */
  readonly onEvent?: (event: StepEvent) => void;
  readonly clock?: Clock;
}

export interface Alone {
  readonly context: StepContext;
  /** Removes the folder. */
  close(): void;
}

/** @param output the schema that answers are held against */
export function aloneWith(output: JsonSchema | undefined, options: CallOptions, dir?: string): Alone {
  const folder = dir ?? mkdtempSync(join(tmpdir(), 'pipeline-agent-'));
  const context: StepContext = {
    path: 'agent',
    step: stepOfNoPlan('agent', output),
    folders: foldersIn(folder, process.cwd()),
    query: '',
    inputs: {},
    permissions: { read: [], write: [], env: [], network: false },
    environment: {},
    placeholder: false,
    readable: [],
    held: new Map(),
    stepKey: 'agent',
    keyHash: 'agent',
    ask: undefined,
    signal: options.signal ?? new AbortController().signal,
    hold: () => () => undefined,
    clock: options.clock ?? systemClock,
    processes: { run: () => Promise.reject(noRun('start a process')) },
    sandbox: { type: 'none', reason: 'no run surrounds the agent', hint: 'Let it be a step of a pipeline.' },
    models: { pick: () => Promise.reject(noRun('pick a model by its role')) },
    tools: [],
    budget: UNLIMITED,
    continues: undefined,
    goesOn: undefined,
    findSkill: () => undefined,
    random: Math.random,
    redact: (text) => text,
    newId: () => crypto.randomUUID(),
    async emit(event) {
      options.onEvent?.(event);
    },
    onDelta({ type, text }) {
      if (type === 'text') options.onText?.(text);
    },
    async judge(value) {
      return output === undefined ? [] : (await compileSchema(output))(value);
    },
  };
  return {
    context,
    close: () => {
      if (dir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function noRun(what: string): Fault {
  return new Fault('config.invalid', `an agent that no run surrounds cannot ${what}`, {
    hint: 'Let it be a step of a pipeline, and call runPipeline().',
  });
}
