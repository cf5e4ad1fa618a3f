/** One leaf step: its values, its key, its attempts, its files. */
import fs from 'node:fs';
import { Fault, type FaultData, nextDelayMs, toFault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Artifact, Complaint, Durable, Key, KindResult, StepContext, StepOutcome } from '../core/types.js';
import { publishProblem } from '../files/names.js';
import type { Blobs } from './blobs.js';
import { collectWork, fileText, markPlaceholder } from './collect.js';
import { linked } from './halt.js';
import type { Surroundings, Task } from './interpret.js';
import { judge } from './judge.js';
import { type KeySources, keyOf } from './key.js';
import { archiveAttempt, type RunDir, type StepDir } from './run-dir.js';
import { renderIn } from './scope.js';
import type { Slots } from './slots.js';

export interface LeafTools {
  readonly durable: Durable;
  readonly sources: KeySources;
  readonly runDir: RunDir;
  readonly blobs: Blobs;
  readonly slots: Slots;
  /** The key of an attempt of this step that was begun and never settled; its folder is as it was left. */
  interruptedKey(path: string): string | undefined;
  /** A person said that interrupted `effect: once` steps may be repeated. */
  readonly retryUnknown: boolean;
  /** Everything of the context but what belongs to one attempt. */
  context(task: Task, key: Key, folders: StepDir, signal: AbortSignal): Omit<StepContext, 'judge'>;
}

/** Faults that stop the run and leave the step to be resumed, instead of failing it. */
export function stopsTheRun(fault: FaultData): boolean {
  switch (fault.code) {
    case 'run.cancelled':
    case 'run.terminated':
    case 'run.hangup':
    case 'run.limit':
    case 'run.journal':
    case 'run.storage':
    case 'provider.exhausted':
      return true;
    default:
      return false;
  }
}

export async function performLeaf(task: Task, around: Surroundings, tools: LeafTools): Promise<StepOutcome> {
  const { step, path } = task;
  if (step.body.type !== 'leaf') throw new Error('a group is not a leaf');
  let config: Json;
  let key: Key;
  try {
    config = renderIn(step.body.config, task.frame, around.roots);
    key = await keyOf(task, config, tools.sources);
    const known = step.cache ? await tools.durable.lookup(path, key) : undefined;
    if (known) return known;
    if (step.effect === 'once' && tools.interruptedKey(path) !== undefined && !tools.retryUnknown)
      return await unknownOutcome(task, around);
  } catch (error) {
    const fault = toFault(error);
    if (stopsTheRun(fault)) return { status: 'stopped', fault };
    await around.record({ type: 'step_failed', path, fault, ms: 0 });
    return { status: 'failed', fault };
  }
  return tools.durable.run(path, key, () => attempts(task, config, key, around, tools));
}

/** An interrupted attempt of an `effect: once` step: only a person can say whether its effect took place. */
async function unknownOutcome(task: Task, around: Surroundings): Promise<StepOutcome> {
  const question = `An attempt of "${task.path}" was interrupted, and its effect must not happen twice. Look whether it happened; --resume --retry-unknown repeats it.`;
  const ask = { question };
  await around.record({ type: 'step_waiting', path: task.path, ask });
  return { status: 'waiting', ask };
}

async function attempts(
  task: Task,
  config: Json,
  key: Key,
  around: Surroundings,
  tools: LeafTools,
): Promise<StepOutcome> {
  const { step, path } = task;
  const { halt, clock } = around;
  for (let attempt = 1; ; attempt++) {
    const give = await tools.slots.take();
    let outcome: StepOutcome;
    try {
      outcome = await attemptOnce(task, config, key, attempt, around, tools);
    } finally {
      give();
    }
    if (outcome.status !== 'failed') return outcome;
    const waitMs = nextDelayMs(outcome.fault, attempt, step.retry);
    if (waitMs === undefined) return outcome;
    await around.record({ type: 'step_retry', path, attempt: attempt + 1, waitMs, fault: outcome.fault });
    await clock.sleep(waitMs, task.place.signal).catch(() => undefined);
    if (halt.reason() || task.place.signal.aborted) return cut(task.place.signal, around);
  }
}

/** The outcome of a step that the run's end, a timeout around it or a sibling's failure cut off. */
function cut(signal: AbortSignal, around: Surroundings): StepOutcome {
  const reason = around.halt.reason();
  if (reason?.type === 'stopped') return { status: 'stopped', fault: reason.fault };
  const fault = signal.aborted ? toFault(signal.reason) : toFault(new Fault('run.cancelled', 'the run stopped'));
  return stopsTheRun(fault) ? { status: 'stopped', fault } : { status: 'failed', fault };
}

async function attemptOnce(
  task: Task,
  config: Json,
  key: Key,
  attempt: number,
  around: Surroundings,
  tools: LeafTools,
): Promise<StepOutcome> {
  const { step, path, place } = task;
  if (step.body.type !== 'leaf') throw new Error('a group is not a leaf');
  const { kind } = step.body;
  if (around.halt.reason() || place.signal.aborted) return cut(place.signal, around);
  const folders = tools.runDir.step(path);
  const goesOn = attempt === 1 && kind.continues && tools.interruptedKey(path) === key.hash;
  const because = goesOn ? 'goes on after an interruption' : attempt === 1 ? '' : `attempt ${attempt}`;
  await around.record({
    type: 'step_started',
    path,
    title: step.title,
    key: key.hash,
    parts: key.parts,
    attempt,
    because,
  });
  const { controller, release } = linked(place.signal);
  const over = new AbortController();
  try {
    if (!goesOn) archiveAttempt(folders);
    fs.mkdirSync(folders.work, { recursive: true, mode: 0o700 });
    startTimeout(step.timeoutMs, step.id, controller, over, around);
    const weigh = (output: Json) => judge(step, output, task.frame, around.roots, folders.work);
    const context = { ...tools.context(task, key, folders, controller.signal), judge: weigh };
    const result = await kind.run(config, context);
    return await outcomeOf(result, task, folders, weigh, around, tools);
  } catch (error) {
    if (controller.signal.aborted) {
      const reason = toFault(controller.signal.reason);
      return stopsTheRun(reason) ? cut(place.signal, around) : { status: 'failed', fault: reason };
    }
    const fault = toFault(error);
    return stopsTheRun(fault) ? { status: 'stopped', fault } : { status: 'failed', fault };
  } finally {
    release();
    over.abort();
  }
}

function startTimeout(
  timeoutMs: number | undefined,
  id: string,
  controller: AbortController,
  over: AbortController,
  around: Surroundings,
): void {
  if (timeoutMs === undefined) return;
  void around.clock.sleep(timeoutMs, over.signal).then(
    () => {
      const message = `step "${id}" took longer than its timeout of ${timeoutMs / 1000} s`;
      controller.abort(new Fault('step.timeout', message, { hint: 'Raise timeout, or give the step less to do.' }));
    },
    () => undefined,
  );
}

async function outcomeOf(
  result: KindResult,
  task: Task,
  folders: StepDir,
  weigh: (output: Json) => Promise<readonly Complaint[]>,
  around: Surroundings,
  tools: LeafTools,
): Promise<StepOutcome> {
  if (result.type === 'end') {
    return { status: 'ended', outcome: result.outcome, as: result.status, message: result.message };
  }
  if (result.type === 'wait') return { status: 'waiting', ask: result.ask };
  refuse(await weigh(result.value));
  const skipped: [string, string][] = [];
  const left = collectWork(folders.work, task.place.prefix, tools.blobs, (path, why) => skipped.push([path, why]));
  for (const [path, why] of skipped) {
    await around.record({ type: 'step_notice', path: task.path, text: `${path} is not published: ${why}` });
  }
  const saved = task.saves ? saveFiles(task, result.value, around, tools) : [];
  const artifacts = unite(left, saved);
  tools.sources.publisher.claim(task.path, artifacts);
  return { status: 'done', output: result.value, artifacts, ...(result.reads ? { reads: result.reads } : {}) };
}

/** Throws the fault that these complaints amount to. */
export function refuse(complaints: readonly Complaint[]): void {
  const first = complaints[0];
  if (!first) return;
  const lines = complaints.map((one) => (one.path === '' ? one.message : `${one.path}: ${one.message}`));
  const code = first.from === 'schema' ? 'step.output' : first.from === 'assert' ? 'step.assert' : 'step.artifacts';
  const head = first.from === 'schema' ? 'the output does not match its schema: ' : '';
  throw new Fault(code, `${head}${lines.join('; ')}`);
}

/** Renders the step's `save` entries into the blob store. */
export function saveFiles(
  task: Task,
  output: Json,
  around: Surroundings,
  tools: Pick<LeafTools, 'blobs' | 'sources'>,
): Artifact[] {
  return task.step.save.map(({ path, value }) => {
    const name = renderIn(path, task.frame, around.roots, output);
    const target = `${task.place.prefix}${typeof name === 'string' ? name : JSON.stringify(name)}`;
    const why = publishProblem(target);
    if (why) throw new Fault('step.path', `save: "${target}" is not a path to publish at: ${why}`);
    const text = fileText(target, value ? renderIn(value, task.frame, around.roots, output) : output);
    const marked = tools.sources.placeholder ? markPlaceholder(target, text) : text;
    const bytes = Buffer.from(marked);
    return { path: target, sha256: tools.blobs.putBytes(bytes), bytes: bytes.length, executable: false };
  });
}

function unite(left: readonly Artifact[], saved: readonly Artifact[]): Artifact[] {
  const byPath = new Map(left.map((artifact) => [artifact.path, artifact]));
  for (const artifact of saved) {
    if (byPath.has(artifact.path)) {
      throw new Fault(
        'step.conflict',
        `the step left ${artifact.path} in its work folder and also saves its output there`,
      );
    }
    byPath.set(artifact.path, artifact);
  }
  return [...byPath.values()];
}
