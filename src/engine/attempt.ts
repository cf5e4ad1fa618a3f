/** The attempts of one leaf step: its folder, its kind's work, what it left, the waits between them. */

import fs from 'node:fs';
import type { Complaint } from '../core/context.js';
import { Fault, nextDelayMs, stopsTheRun, toFault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { KindResult } from '../core/kind.js';
import type { StepOutcome } from '../core/outcome.js';
import { collectWork } from './collect.js';
import { judge, refuse } from './judge.js';
import { changedParts } from './key-changes.js';
import { isRerun, type Keyed, type LeafTools } from './leaf-tools.js';
import { cutOff, type Surroundings, spoken, type Task, within } from './place.js';
import { archiveAttempt, type StepDir } from './run-dir.js';
import { readsOfRun } from './running.js';
import { type Saved, saveFiles } from './save.js';
import { familyOf } from './step-path.js';

export async function attempts(
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
