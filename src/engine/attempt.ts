/** The attempts of one leaf step: its folder, its kind's work, what it left, the waits between them. */

import { mkdir } from 'node:fs/promises';
import { Fault, nextDelayMs, stopsTheRun, toFault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { StepOutcome } from '../core/outcome.js';
import { ASKED_FOR, GOES_ON, GOES_ON_AFTER, NEVER_REUSED } from '../core/reasons.js';
import { continued } from './continued.js';
import { doneWith } from './done.js';
import { linked } from './halt.js';
import { judge } from './judge.js';
import { changedParts } from './key-changes.js';
import { isRerun, type Keyed, type LeafTools } from './leaf-tools.js';
import { cutOff, type Surroundings, spoken, type Task, within } from './place.js';
import { archiveAttempt, copyAttempt, dropOutput } from './run-dir.js';
import type { Saved } from './save.js';
import { familyOf } from './step-path.js';
import { cutShort } from './unknown.js';

export async function attempts(
  task: Keyed,
  around: Surroundings,
  tools: LeafTools,
  onSaved: (saved: Saved) => void,
): Promise<StepOutcome> {
  const { step, path, signal } = task;
  for (let attempt = 1; ; attempt++) {
    const give = await slotFor(task, tools);
    let outcome: StepOutcome;
    try {
      outcome = await attemptOnce(task, attempt, around, tools, onSaved);
    } finally {
      give();
    }
    if (outcome.status !== 'failed') return outcome;
    const unknown = cutShort(task, outcome.fault, tools);
    if (unknown) return unknown;
    tools.past.failedWith.set(path, { key: task.key.hash, fault: outcome.fault });
    const waitMs = nextDelayMs(outcome.fault, attempt, step.retry);
    if (waitMs === undefined || signal.aborted) return outcome;
    await around.record({ type: 'step_retry', path, attempt: attempt + 1, waitMs, fault: outcome.fault });
    await around.clock.sleep(waitMs, signal).catch(() => undefined);
    if (around.halt.reason() || signal.aborted) return cutOff(signal, around);
  }
}

/** One that only waits for a person keeps none from working. */
async function slotFor({ body: { kind } }: Keyed, { slots }: LeafTools): Promise<() => void> {
  return kind.waits ? () => undefined : slots.take();
}

async function attemptOnce(
  task: Keyed,
  attempt: number,
  around: Surroundings,
  tools: LeafTools,
  onSaved: (saved: Saved) => void,
): Promise<StepOutcome> {
  const { step, path, key, body } = task;
  if (around.halt.reason() || task.signal.aborted) return cutOff(task.signal, around);
  const folders = tools.runDir.step(path);
  const anew = attempt === 1 && isRerun(path, tools);
  const goesOn = anew ? undefined : continued(task, tools);
  tools.goOn?.done.add(path);
  const because = anew ? ASKED_FOR : goesOn ? BECAUSE[goesOn.after] : again(task, attempt, tools);
  const { hash, parts, values, uses } = key;
  await tools.removal.settled(folders.work);
  // Before the record, so that what lies in the folder is always of the attempt that the journal speaks of.
  // Only a process can write it, and to look takes time.
  const drop = () => body.inspection.startsProcess && dropOutput(folders);
  drop();
  if (!goesOn) archiveAttempt(folders, anew);
  else if (goesOn.after === 'failure') copyAttempt(folders);
  const toldRounds = tools.past.toldRounds.get(path) ?? 0;
  if (!goesOn) tools.past.toldRounds.delete(path);
  tools.past.failedWith.delete(path);
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
    ...(step.effect === 'once' ? { once: true as const } : {}),
    ...(anew ? { anew: true as const } : {}),
  });
  if (anew) tools.past.forget(task, hash);
  // What it leaves behind at its signal goes with it.
  const { controller, release } = linked(task.signal);
  return within<StepOutcome>(
    step.timeoutMs,
    () => timeoutFault(task),
    controller.signal,
    around.clock,
    async (signal, hold) => {
      try {
        await mkdir(folders.work, { recursive: true, mode: 0o700 });
        const weigh = (output: Json) => judge(step, output, task.frame, around.roots, folders.work);
        const told = {
          stepKey: task.stepKey,
          keyHash: hash,
          continues: goesOn && { toldRounds },
          goesOn: goesOn?.asked,
          hold,
          judge: weigh,
        };
        const context = tools.context(task, around, told, folders, signal, (event) => {
          if (event.type === 'round') tools.past.toldRounds.set(path, event.round);
        });
        const result = await body.kind.run(task.config, context);
        if (result.type === 'end') {
          const { outcome, status: as, message } = result;
          // Until the record is on the disk, others go on: nothing new is begun meanwhile.
          around.halt.set({ type: 'ended', by: step.id, outcome, as, message }, 'gently');
          return { status: 'ended', outcome, as, message };
        }
        if (result.type === 'wait') return { status: 'waiting', ask: result.ask };
        return await doneWith(result, task, around, tools, onSaved);
      } catch (error) {
        if (signal.aborted) return cutOff(signal, around);
        const fault = tools.redactor?.value(toFault(error)) ?? toFault(error);
        return stopsTheRun(fault) ? { status: 'stopped', fault } : { status: 'failed', fault };
      } finally {
        drop();
      }
    },
  ).finally(release);
}

const BECAUSE = { interruption: GOES_ON, failure: GOES_ON_AFTER };

/** Why it runs although an earlier attempt, session or round knew it; '' for the first time. */
function again({ step, path, key }: Keyed, attempt: number, tools: LeafTools): string {
  if (attempt > 1) return `attempt ${attempt}`;
  const last = tools.past.lastKeys.get(path);
  if (!last) return '';
  const changed = changedParts(last.parts, key.parts);
  if (changed.length > 0) return `${changed.join(', ')} changed`;
  if (last.outcome === 'failed') return 'the last attempt failed';
  if (last.outcome === 'ended') return 'it had ended the run';
  if (last.outcome === 'waited') return 'it waited for a person';
  if (last.outcome === 'begun') return 'the last attempt was interrupted';
  return step.cache ? 'a file that it had read or left is not the same' : NEVER_REUSED;
}

function timeoutFault({ step }: Task): Fault {
  const message = `it took longer than its timeout of ${spoken(step.timeoutMs ?? 0)}`;
  return new Fault('step.timeout', message, { hint: 'Raise timeout, or give the step less to do.' });
}
