/** One leaf step: its values, its key, its earlier result or its attempts, its files. */
import fs from 'node:fs';
import type { Complaint, StepContext } from '../core/context.js';
import { Fault, nextDelayMs, stopsTheRun, toFault } from '../core/faults.js';
import { type Json, parseJson } from '../core/json.js';
import type { KindResult } from '../core/kind.js';
import type { Durable, Key, StepOutcome, StepPath } from '../core/outcome.js';
import type { Step } from '../core/plan.js';
import { compileSchema } from '../core/schema.js';
import { complaintLine } from '../core/schema-complaints.js';
import { fitsPlainly } from '../core/schema-plain.js';
import type { Blobs } from './blobs.js';
import { collectWork } from './collect.js';
import type { Idempotency } from './idempotency.js';
import { judge, refuse } from './judge.js';
import type { KeyOf } from './key.js';
import { changedParts } from './key-changes.js';
import type { Past } from './past.js';
import { cutOff, failed, type Surroundings, spoken, type Task, within } from './place.js';
import type { Publisher } from './publish.js';
import { archiveAttempt, type RunDir, type StepDir } from './run-dir.js';
import { readsOfRun } from './running.js';
import { type Saved, saveFiles } from './save.js';
import { renderIn } from './scope.js';
import type { Slots } from './slots.js';
import { familyOf, idsOf } from './step-path.js';

export interface LeafTools {
  readonly durable: Durable;
  readonly past: Past;
  readonly keyOf: KeyOf;
  readonly publisher: Publisher;
  readonly runDir: RunDir;
  readonly blobs: Blobs;
  readonly slots: Slots;
  readonly idempotency: Idempotency;
  readonly placeholder: boolean;
  /** A person said that interrupted `effect: once` steps may be repeated. */
  readonly retryUnknown: boolean;
  /** A person said that the interrupted `effect: once` step was done. */
  assumeDone(): Assumed | undefined;
  /** The id of a step that is done again, whatever is known of it. */
  readonly rerun: string | undefined;
  /** Everything of the context but what belongs to one attempt. */
  context(
    task: Task,
    around: Surroundings,
    keys: { readonly stepKey: string; readonly keyHash: string },
    folders: StepDir,
    signal: AbortSignal,
  ): Omit<StepContext, 'judge'>;
}

/** What a person says that an interrupted step has given: a value, the text of a file, or nothing. */
export type Assumed = { readonly output?: Json } | { readonly text: string };

/** A leaf whose config and key are known. */
interface Keyed extends Task {
  readonly config: Json;
  readonly key: Key;
  readonly stepKey: string;
}

export async function performLeaf(task: Task, around: Surroundings, tools: LeafTools): Promise<StepOutcome> {
  const { step, path } = task;
  if (step.body.type !== 'leaf') throw new Error('a group is not a leaf');
  try {
    const config = renderIn(step.body.config, task.frame, around.roots);
    if (step.body.config.type !== 'literal') await refuseMisfit(step, config);
    const key = await tools.keyOf(task, config, around);
    const keyed = { ...task, config, key, stepKey: tools.idempotency.keyFor(task, key) };
    const reused = step.cache && !isRerun(path, tools) ? await reuse(keyed, around, tools) : undefined;
    if (reused) return reused;
    if (step.effect === 'once' && isUnknown(keyed, tools)) return await settleUnknown(keyed, around, tools);
    return await runAndPublish(keyed, tools, (onSaved) => attempts(keyed, around, tools, onSaved));
  } catch (error) {
    return failed(path, error, around);
  }
}

/** A person asked for this step, or for one around it, to be done again. */
function isRerun(path: StepPath, { rerun }: LeafTools): boolean {
  return rerun !== undefined && idsOf(path).split('/').includes(rerun);
}

/** What expressions came to must be what the kind takes, as the check asks of what is written. */
async function refuseMisfit(step: Step, config: Json): Promise<void> {
  if (step.body.type !== 'leaf') return;
  const { kind } = step.body;
  if (fitsPlainly(kind.schema, config)) return;
  const complaints = (await compileSchema(kind.schema))(config);
  if (complaints.length === 0) return;
  throw new Fault(
    'step.expression',
    `the ${kind.name} cannot take its values: ${complaints.map(complaintLine).join('; ')}`,
  );
}

async function reuse(task: Keyed, around: Surroundings, tools: LeafTools): Promise<StepOutcome | undefined> {
  const earlier = await tools.durable.lookup(task, task.key);
  if (!earlier) return undefined;
  const { output } = earlier.outcome;
  const saved = saveFiles(task, output, around.roots, tools.placeholder);
  const outcome = { ...earlier.outcome, artifacts: [...earlier.outcome.artifacts, ...saved.artifacts] };
  tools.publisher.claim(task, outcome.artifacts);
  await tools.durable.reuse(task, task.key, { ...earlier, outcome });
  tools.publisher.publish(task, { artifacts: outcome.artifacts, texts: saved.texts });
  return outcome;
}

async function runAndPublish(
  task: Keyed,
  tools: LeafTools,
  work: (onSaved: (saved: Saved) => void) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  let saved: Saved | undefined;
  const outcome = await tools.durable.run(task, task.key, () =>
    work((files) => {
      saved = files;
    }),
  );
  if (outcome.status !== 'done') return outcome;
  fs.rmSync(tools.runDir.step(task.path).work, { recursive: true, force: true });
  tools.publisher.publish(task, { artifacts: outcome.artifacts, texts: saved?.texts ?? new Map() });
  return outcome;
}

/** Whether an attempt was begun of which nobody knows how it ended: at this place, or as the item that this was before. */
function isUnknown({ path, family, key }: Keyed, { past, retryUnknown }: LeafTools): boolean {
  if (retryUnknown) return false;
  return path === family ? past.interrupted.at(path) : past.interrupted.inFamily(family, key.hash);
}

/** Only a person can say whether the effect of an `effect: once` step took place. */
async function settleUnknown(task: Keyed, around: Surroundings, tools: LeafTools): Promise<StepOutcome> {
  const { step, path } = task;
  const file = step.output ? ' --output <file>' : '';
  const askWhether = async (first: string): Promise<StepOutcome> => {
    const question = `${first} Look whether it happened: --resume --retry-unknown repeats it, --resume --assume-done${file} takes it as done.`;
    await around.record({ type: 'step_waiting', path, ask: { question } });
    return { status: 'waiting', ask: { question } };
  };
  const assumed = tools.assumeDone();
  if (!assumed) return askWhether(`An attempt of "${path}" was interrupted, and its effect must not happen twice.`);
  let output: Json | undefined;
  try {
    output = assumedOutput(assumed, step);
  } catch (error) {
    return askWhether(`What "${path}" is said to have given is no JSON: ${(error as Error).message}.`);
  }
  if (output === undefined) {
    return askWhether(`"${path}" declares a schema: what it gave must be said, as JSON in a file.`);
  }
  const complaints = await judge(step, output, task.frame, around.roots, undefined);
  if (complaints.length > 0) {
    return askWhether(
      `What "${path}" is said to have given does not fit: ${complaints.map(complaintLine).join('; ')}.`,
    );
  }
  await around.record({ type: 'step_notice', path, text: 'taken as done on the word of a person' });
  return runAndPublish(task, tools, async (onSaved) => {
    const saved = saveFiles(task, output, around.roots, tools.placeholder);
    tools.publisher.claim(task, saved.artifacts);
    onSaved(saved);
    return { status: 'done', output, artifacts: saved.artifacts };
  });
}

/** Undefined where a schema asks for a value and none was said. */
function assumedOutput(assumed: Assumed, { output: schema }: Step): Json | undefined {
  if ('text' in assumed) return schema ? parseJson(assumed.text) : assumed.text;
  return assumed.output ?? (schema ? undefined : '');
}

async function attempts(
  task: Keyed,
  around: Surroundings,
  tools: LeafTools,
  onSaved: (saved: Saved) => void,
): Promise<StepOutcome> {
  const { step, path, signal } = task;
  for (let attempt = 1; ; attempt++) {
    const give = await tools.slots.take();
    let outcome: StepOutcome;
    try {
      outcome = await attemptOnce(task, attempt, around, tools, onSaved);
    } finally {
      give();
    }
    if (outcome.status !== 'failed') return outcome;
    const waitMs = nextDelayMs(outcome.fault, attempt, step.retry);
    if (waitMs === undefined || signal.aborted) return outcome;
    await around.record({ type: 'step_retry', path, attempt: attempt + 1, waitMs, fault: outcome.fault });
    await around.clock.sleep(waitMs, signal).catch(() => undefined);
    if (around.halt.reason() || signal.aborted) return cutOff(signal, around);
  }
}

async function attemptOnce(
  task: Keyed,
  attempt: number,
  around: Surroundings,
  tools: LeafTools,
  onSaved: (saved: Saved) => void,
): Promise<StepOutcome> {
  const { step, path, key } = task;
  if (step.body.type !== 'leaf') throw new Error('a group is not a leaf');
  const { kind } = step.body;
  if (around.halt.reason() || task.signal.aborted) return cutOff(task.signal, around);
  const folders = tools.runDir.step(path);
  const goesOn = attempt === 1 && kind.continues && tools.past.interrupted.at(path, key.hash);
  const because = goesOn ? 'goes on after an interruption' : attempt > 1 ? `attempt ${attempt}` : reasonOf(task, tools);
  const { hash, parts, values, uses } = key;
  tools.past.lastKeys.set(path, { parts, outcome: 'begun' });
  await around.record({
    type: 'step_started',
    path,
    ...familyOf(task),
    title: step.title,
    key: hash,
    parts,
    values,
    ...(uses.length > 0 ? { uses } : {}),
    attempt,
    because,
    ...(attempt === 1 && isRerun(path, tools) ? { anew: true as const } : {}),
  });
  return within(
    step.timeoutMs,
    () => timeoutFault(task),
    task.signal,
    around.clock,
    async (signal) => {
      try {
        if (!goesOn) archiveAttempt(folders, isRerun(path, tools));
        fs.mkdirSync(folders.work, { recursive: true, mode: 0o700 });
        const weigh = (output: Json) => judge(step, output, task.frame, around.roots, folders.work);
        const keys = { stepKey: task.stepKey, keyHash: hash };
        const context = { ...tools.context(task, around, keys, folders, signal), judge: weigh };
        const result = await kind.run(task.config, context);
        return await outcomeOf(result, task, folders, weigh, around, tools, onSaved);
      } catch (error) {
        if (signal.aborted) return cutOff(signal, around);
        const fault = toFault(error);
        return stopsTheRun(fault) ? { status: 'stopped', fault } : { status: 'failed', fault };
      }
    },
  );
}

/** Why it runs although an earlier session or round knew it; '' for the first time. */
function reasonOf({ step, path, key }: Keyed, tools: LeafTools): string {
  if (isRerun(path, tools)) return 'asked for';
  const last = tools.past.lastKeys.get(path);
  if (!last) return '';
  const changed = changedParts(last.parts, key.parts);
  if (changed.length > 0) return `${changed.join(', ')} changed`;
  if (last.outcome === 'ended') return 'the last attempt failed';
  if (last.outcome === 'waited') return 'it waited for a person';
  if (last.outcome === 'begun') return 'the last attempt was interrupted';
  return step.cache ? 'a file that it had read or left is not the same' : 'it is never reused (cache: false)';
}

function timeoutFault({ step }: Task): Fault {
  const message = `it took longer than its timeout of ${spoken(step.timeoutMs ?? 0)}`;
  return new Fault('step.timeout', message, { hint: 'Raise timeout, or give the step less to do.' });
}

async function outcomeOf(
  result: KindResult,
  task: Task,
  folders: StepDir,
  weigh: (output: Json) => Promise<readonly Complaint[]>,
  around: Surroundings,
  tools: LeafTools,
  onSaved: (saved: Saved) => void,
): Promise<StepOutcome> {
  if (result.type === 'end') {
    return { status: 'ended', outcome: result.outcome, as: result.status, message: result.message };
  }
  if (result.type === 'wait') return { status: 'waiting', ask: result.ask };
  refuse(await weigh(result.value));
  const left = collectWork(folders.work, task.prefix, tools.blobs);
  for (const { path, why } of left.skipped) {
    await around.record({ type: 'step_notice', path: task.path, text: `${path} is not published: ${why}` });
  }
  const saved = task.saves ? saveFiles(task, result.value, around.roots, tools.placeholder) : undefined;
  const artifacts = [...left.artifacts, ...(saved?.artifacts ?? [])];
  refuseTwice(artifacts.map(({ path }) => path));
  tools.publisher.claim(task, artifacts);
  if (saved) onSaved(saved);
  const reads = result.reads && readsOfRun(result.reads, around);
  return { status: 'done', output: result.value, artifacts, ...(reads ? { reads } : {}) };
}

function refuseTwice(paths: readonly string[]): void {
  if (new Set(paths).size === paths.length) return;
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  throw new Fault('step.conflict', `the step left ${twice} in its work folder and also saves its output there`);
}
