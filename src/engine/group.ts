/** A step that holds steps, a group or a child pipeline: its attempts, its result. */
import { Fault, nextDelayMs } from '../core/faults.js';
import type { GroupBody } from '../core/plan.js';
import { runChild } from './child.js';
import {
  cutOff,
  failed,
  type Performed,
  type Surroundings,
  spoken,
  stoppedOutcome,
  type Task,
  within,
} from './place.js';
import { type Frame, renderIn } from './scope.js';

/** Tried again as a whole; the steps that had finished are reused. */
export async function performGroup(task: Task, around: Surroundings): Promise<Performed> {
  const { step, path, signal } = task;
  for (let attempt = 1; ; attempt++) {
    const result = await attemptOnce(task, attempt, around);
    if (result.outcome.status !== 'failed') return result;
    const { fault } = result.outcome;
    const waitMs = nextDelayMs(fault, attempt, step.retry);
    if (waitMs === undefined || around.halt.reason() || signal.aborted) return result;
    await around.record({ type: 'step_retry', path, attempt: attempt + 1, waitMs, fault });
    await around.clock.sleep(waitMs, signal).catch(() => undefined);
    if (around.halt.reason() || signal.aborted) return { outcome: cutOff(signal, around), partial: result.partial };
  }
}

async function attemptOnce(task: Task, attempt: number, around: Surroundings): Promise<Performed> {
  const { step, path } = task;
  const begun = around.clock.now();
  await around.record({ type: 'step_started', path, title: step.title, key: '', parts: {}, attempt, because: '' });
  const late = () => new Fault('step.timeout', `it took longer than its timeout of ${spoken(step.timeoutMs ?? 0)}`);
  try {
    return await within(step.timeoutMs, late, task.signal, around.clock, async (signal) => {
      const { outcome, partial } = await runSteps(task, signal, around);
      if (signal.aborted && outcome.status !== 'ended') {
        const cut = cutOff(signal, around);
        if (cut.status === 'failed') await around.record({ type: 'step_failed', path, fault: cut.fault, ms: 0 });
        return { outcome: cut, partial };
      }
      if (outcome.status === 'failed') await around.record({ type: 'step_failed', path, fault: outcome.fault, ms: 0 });
      if (outcome.status !== 'done') return { outcome, partial };
      await around.judge(task, outcome.output);
      return { outcome: await around.finish(task, outcome.output, begun), partial };
    });
  } catch (error) {
    return { outcome: await failed(path, error, around), partial: false };
  }
}

async function runSteps(task: Task, signal: AbortSignal, around: Surroundings): Promise<Performed> {
  const { body } = task.step;
  switch (body.type) {
    case 'group':
      return runGroup(task, body, signal, around);
    case 'child':
      return runChild(task, body, signal, around);
    case 'leaf':
      throw new Error('a leaf holds no steps');
  }
}

async function runGroup(task: Task, body: GroupBody, signal: AbortSignal, around: Surroundings): Promise<Performed> {
  const { step, home } = task;
  const frame: Frame = { parent: task.frame, steps: new Map() };
  const { path, family, prefix } = task;
  const place = { path, family, prefix, signal, steps: body.steps, hashes: new Map(), around: { step, place: home } };
  const list = await around.list(frame, place);
  switch (list.status) {
    case 'halted':
      return { outcome: stoppedOutcome(signal, around), partial: false };
    case 'waiting':
      return { outcome: list, partial: false };
    case 'failed': {
      const fault = { ...list.fault, message: `step "${list.id}": ${list.fault.message}` };
      return { outcome: { status: 'failed', fault }, partial: false };
    }
    case 'done': {
      const output = body.result
        ? renderIn(body.result, frame, around.roots)
        : Object.fromEntries(body.steps.map(({ id }) => [id, frame.steps.get(id)?.output ?? null]));
      return { outcome: { status: 'done', output, artifacts: [] }, partial: list.partial };
    }
  }
}
