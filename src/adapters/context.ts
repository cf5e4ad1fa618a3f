/** What an agent may touch that a program uses by itself: of the step whose work it does, else a folder of its own, no journal, no limit, no process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../agent/agent.js';
import { foldersIn, stepOfNoPlan, UNLIMITED } from '../agent/no-run.js';
import { systemClock } from '../core/clock.js';
import type { Clock, StepContext } from '../core/context.js';
import type { StepEvent } from '../core/events.js';
import { Fault } from '../core/faults.js';
import type { JsonSchema } from '../core/json.js';
import { compileSchema } from '../core/schema.js';

/** What a caller may say of one performance. */
export interface CallOptions {
  /** The step of a run whose work it does: its folders, its limits, its journal. */
  readonly step?: StepContext;
  readonly signal?: AbortSignal;
  /** Of the model, as it streams. */
  readonly onText?: (text: string) => void;
  /** Rounds, calls of tools, retries, as a run would record them. */
  readonly onEvent?: (event: StepEvent) => void;
  /** The files that its tools read, once it has answered: a result rests on their bytes. */
  readonly onReads?: (reads: Answer['reads']) => void;
  readonly clock?: Clock;
}

export interface Alone {
  readonly context: StepContext;
  /** Removes the folder. */
  close(): void;
}

/** @param output the schema that answers are held against */
export function aloneWith(output: JsonSchema | undefined, options: CallOptions, dir?: string): Alone {
  if (options.step) return { context: within(options.step, output, options), close: () => undefined };
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
    judge: judgeOf(output),
  };
  return {
    context,
    close: () => {
      if (dir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An answer that is not yet the step's is held against its own schema only. */
function within(step: StepContext, output: JsonSchema | undefined, options: CallOptions): StepContext {
  const isOfStep = output !== undefined && output === step.step.output?.json;
  return {
    ...step,
    signal: options.signal ?? step.signal,
    judge: isOfStep ? step.judge : judgeOf(output),
    async emit(event) {
      await step.emit(event);
      options.onEvent?.(event);
    },
    onDelta(delta) {
      step.onDelta(delta);
      if (delta.type === 'text') options.onText?.(delta.text);
    },
  };
}

function judgeOf(output: JsonSchema | undefined): StepContext['judge'] {
  return async (value) => (output === undefined ? [] : (await compileSchema(output))(value));
}

function noRun(what: string): Fault {
  return new Fault('config.invalid', `an agent that no run surrounds cannot ${what}`, {
    hint: 'Let it be a step of a pipeline, and call runPipeline().',
  });
}
