/** Another skill as a step: its plan, walked in a scope of its own, below the folder of its step. */
import { Fault, type FaultData } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { ChildBody } from '../core/plan.js';
import { counted } from '../core/words.js';
import { enterChild } from './child-entry.js';
import { createChildHalt, type HaltReason } from './halt.js';
import { type Performed, type Surroundings, spoken, stoppedOutcome, type Task, within } from './place.js';
import { type Frame, renderIn } from './scope.js';

export async function runChild(
  task: Task,
  body: ChildBody,
  signal: AbortSignal,
  around: Surroundings,
): Promise<Performed> {
  const running = await enterChild(task, body, around);
  const halt = createChildHalt(around.halt, signal);
  const inner = around.enter(running, halt);
  const frame: Frame = { steps: new Map() };
  const { path, family } = task;
  const { plan, prefix } = running;
  try {
    const list = await within(
      plan.ownLimits.timeMs,
      () => tooLong(task, body),
      halt.signal,
      around.clock,
      (limited) => inner.list(frame, { path, family, prefix, signal: limited, steps: plan.steps, hashes: new Map() }),
    );
    const ending = halt.own();
    if (ending) return endedItself(ending, task, body, around);
    switch (list.status) {
      case 'halted':
        return { outcome: stoppedOutcome(signal, around), partial: false };
      case 'waiting':
        return { outcome: list, partial: false };
      case 'failed':
        return broken(inStep(list.id, list.fault));
      case 'done': {
        const output = plan.result ? renderIn(plan.result, frame, running.roots) : summaryOf(task, '', around);
        return whole(output, list, body);
      }
    }
  } finally {
    halt.release();
  }
}

/** By an end of its own, or by a failure of which its file says that it stops all. */
function endedItself(ending: HaltReason, task: Task, body: ChildBody, around: Surroundings): Performed {
  if (ending.type !== 'ended') return broken(inStep(ending.type === 'failed' ? ending.by : '', ending.fault));
  const { outcome, as, message } = ending;
  if (as === 'done') {
    const partial = around.census(task).failed > 0;
    return whole(body.plan.result ? null : summaryOf(task, message, around), { partial }, body);
  }
  const words = `the pipeline ended as ${as}: ${outcome}${message === '' ? '' : `: ${message}`}`;
  return broken({ code: 'step.ended', message: words, outcome });
}

function broken(fault: FaultData): Performed {
  return { outcome: { status: 'failed', fault }, partial: false };
}

function whole(output: Json, { partial }: { readonly partial: boolean }, { plan }: ChildBody): Performed {
  return { outcome: { status: 'done', output, artifacts: [] }, partial: partial && !plan.acceptPartial };
}

/** The output of a child without a result: what its end said, or how many steps it took, and what it published. */
function summaryOf(task: Task, message: string, around: Surroundings): Json {
  const { asked, done, failed } = around.census(task);
  const census = `${counted(asked, 'step')}: ${done} done${failed > 0 ? `, ${failed} failed` : ''}`;
  return { summary: message === '' ? census : message, files: [...around.published(task)] };
}

function inStep(id: string, fault: FaultData): FaultData {
  return { ...fault, message: `step "${id}": ${fault.message}` };
}

function tooLong({ step }: Task, { plan }: ChildBody): Fault {
  const limit = spoken(plan.ownLimits.timeMs ?? 0);
  const message = `the pipeline of step "${step.id}" took longer than its time limit of ${limit}`;
  return new Fault('run.limit', message, { hint: 'Raise limits.time of its file, then resume the run.' });
}
