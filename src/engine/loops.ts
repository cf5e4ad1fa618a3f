/** foreach, repeat and retry around a step's body. */
import { Fault, type FaultData, nextDelayMs } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Foreach, Repeat, Step, StepOutcome, StepPath } from '../core/types.js';
import { linked } from './halt.js';
import { failed, type Place, pathOf, runGroup, type Surroundings, type Task } from './interpret.js';
import { errorView, evaluateIn, type Frame, renderIn } from './scope.js';
import { pooled } from './slots.js';

interface Looped {
  readonly outcome: StepOutcome;
  /** `steps.<id>.failures` of a foreach. */
  readonly failures: readonly Json[];
  /** Something inside failed and the run went on. */
  readonly partial: boolean;
}

export async function runLoops(step: Step, frame: Frame, place: Place, around: Surroundings): Promise<Looped> {
  const path = pathOf(place, step);
  if (!step.foreach) return { ...(await runRounds(step, path, frame, place, around)), failures: [] };
  return runItems(step, step.foreach, path, frame, place, around);
}

async function runItems(
  step: Step,
  foreach: Foreach,
  path: StepPath,
  frame: Frame,
  place: Place,
  around: Surroundings,
): Promise<Looped> {
  let items: readonly Json[];
  try {
    items = listOf(step, foreach, renderIn(foreach.over, frame, around.roots));
  } catch (error) {
    return { outcome: await failed(path, error, around), failures: [], partial: false };
  }
  const begun = around.clock.now();
  await around.record({ type: 'loop', path, of: 'items', count: items.length });
  const limit = foreach.maxParallel ?? around.plan.limits.maxParallel;
  const results = await pooled(items, limit, async (item, index) => {
    if (around.halt.reason()) return undefined;
    const inner: Frame = { parent: frame, steps: new Map(), loop: { id: step.id, values: { item, index } } };
    const at: Place = { ...place, path: `${path}/${index}`, prefix: `${place.prefix}${step.id}/${index}/` };
    return runRounds(step, at.path, inner, at, around);
  });
  return gather(foreach, path, items, results, around.clock.now() - begun, around);
}

function listOf(step: Step, foreach: Foreach, value: Json): readonly Json[] {
  if (!Array.isArray(value)) {
    const kind = value === null ? 'null' : typeof value;
    throw new Fault('step.items', `foreach of step "${step.id}" needs a list, but its value is ${kind}`);
  }
  if (value.length > foreach.maxItems) {
    throw new Fault(
      'step.items',
      `foreach of step "${step.id}" has ${value.length} items; max_items is ${foreach.maxItems}`,
      {
        hint: 'Raise max_items, or cut the list in the step that makes it: items are never dropped silently.',
      },
    );
  }
  return value;
}

type Rounds = Awaited<ReturnType<typeof runRounds>>;

async function gather(
  foreach: Foreach,
  path: StepPath,
  items: readonly Json[],
  results: readonly (Rounds | undefined)[],
  ms: number,
  around: Surroundings,
): Promise<Looped> {
  const outputs: Json[] = [];
  const failures: Json[] = [];
  let firstFault: { index: number; fault: FaultData } | undefined;
  for (const [index, result] of results.entries()) {
    if (!result) return { outcome: stoppedBy(around), failures: [], partial: false };
    const { outcome } = result;
    switch (outcome.status) {
      case 'done':
        outputs.push(outcome.output);
        break;
      case 'failed':
        firstFault ??= { index, fault: outcome.fault };
        failures.push({ index, item: items[index] ?? null, error: errorView(outcome.fault) });
        break;
      case 'skipped':
        outputs.push(null);
        break;
      case 'ended':
      case 'waiting':
      case 'stopped':
        return { outcome, failures: [], partial: false };
    }
  }
  const needed =
    'count' in foreach.minSuccess
      ? foreach.minSuccess.count
      : Math.ceil(foreach.minSuccess.share * items.length - 1e-9);
  const partial = results.some((result) => result?.partial);
  if (firstFault && outputs.length < needed) {
    const { index, fault } = firstFault;
    const all = needed === items.length;
    const words = `${failures.length} of ${items.length} items failed${all ? '' : ` (min_success: ${needed})`}; the first is item ${index}: ${fault.message}`;
    const own: FaultData = {
      ...fault,
      code: fault.code.startsWith('provider.') ? fault.code : all ? fault.code : 'step.min_success',
      message: words,
    };
    await around.record({ type: 'step_failed', path, fault: own, ms });
    return { outcome: { status: 'failed', fault: own }, failures, partial };
  }
  await around.record({ type: 'step_done', path, key: '', output: outputs, artifacts: [], ms });
  return { outcome: { status: 'done', output: outputs, artifacts: [] }, failures, partial };
}

function stoppedBy(around: Surroundings): StepOutcome {
  const reason = around.halt.reason();
  const fault: FaultData =
    reason?.type === 'stopped' ? reason.fault : { code: 'run.cancelled', message: 'the run stopped' };
  return { status: 'stopped', fault };
}

async function runRounds(
  step: Step,
  path: StepPath,
  frame: Frame,
  place: Place,
  around: Surroundings,
): Promise<{ readonly outcome: StepOutcome; readonly partial: boolean }> {
  if (!step.repeat) return runAttempts({ step, path, frame, place, saves: true }, around);
  const { repeat } = step;
  let previous: Json = null;
  for (let iteration = 0; iteration < repeat.max; iteration++) {
    await around.record({ type: 'loop', path, of: 'rounds', count: iteration + 1 });
    const values = { previous, iteration };
    const inner: Frame = { parent: frame, steps: new Map(), loop: { id: step.id, values } };
    const at: Place = { ...place, path: `${path}/${iteration}` };
    const round = await runAttempts({ step, path: at.path, frame: inner, place: at, saves: false }, around);
    if (round.outcome.status !== 'done') {
      if (round.outcome.status === 'failed') {
        await around.record({ type: 'step_failed', path, fault: round.outcome.fault, ms: 0 });
      }
      return round;
    }
    previous = round.outcome.output;
    const verdict = await untilHolds(repeat, inner, previous, path, around);
    if (typeof verdict !== 'boolean') return { outcome: verdict, partial: round.partial };
    const last = iteration + 1 === repeat.max;
    if (verdict || (last && repeat.onMax === 'accept')) {
      if (!verdict) {
        await around.record({
          type: 'step_notice',
          path,
          text: `accepted after ${repeat.max} rounds: until never held`,
        });
      }
      return {
        outcome: await around.accept({ step, path, frame, place, saves: true }, previous),
        partial: round.partial,
      };
    }
  }
  const message = `${repeat.max} rounds passed and until never held: ${repeat.until.source}`;
  const fault = new Fault('step.repeat_max', message, {
    hint: 'Raise max, or set on_max: accept to take the last output.',
  });
  return { outcome: await failed(path, fault, around), partial: false };
}

async function untilHolds(
  repeat: Repeat,
  frame: Frame,
  output: Json,
  path: StepPath,
  around: Surroundings,
): Promise<boolean | StepOutcome> {
  try {
    return evaluateIn(repeat.until, frame, around.roots, output) === true;
  } catch (error) {
    return failed(path, error, around);
  }
}

/** A leaf retries itself, since its attempts share a key; a group is retried here, its finished steps being reused. */
async function runAttempts(
  task: Task,
  around: Surroundings,
): Promise<{ readonly outcome: StepOutcome; readonly partial: boolean }> {
  const { step, path } = task;
  if (step.body.type === 'leaf') return { outcome: await around.leaf(task), partial: false };
  for (let attempt = 1; ; attempt++) {
    const result = await runGroupOnce(task, attempt, around);
    if (result.outcome.status !== 'failed') return result;
    const { fault } = result.outcome;
    const waitMs = nextDelayMs(fault, attempt, step.retry);
    if (waitMs === undefined || around.halt.reason()) return result;
    await around.record({ type: 'step_retry', path, attempt: attempt + 1, waitMs, fault });
    await around.clock.sleep(waitMs, around.halt.signal).catch(() => undefined);
  }
}

async function runGroupOnce(
  task: Task,
  attempt: number,
  around: Surroundings,
): Promise<{ readonly outcome: StepOutcome; readonly partial: boolean }> {
  const { step, path, place } = task;
  if (step.body.type !== 'group') throw new Error('a leaf is not a group');
  await around.record({ type: 'step_started', path, title: step.title, key: '', parts: {}, attempt, because: '' });
  const { controller, release } = linked(place.signal);
  const over = new AbortController();
  if (step.timeoutMs !== undefined) {
    const { timeoutMs } = step;
    const fault = new Fault('step.timeout', `the group "${step.id}" took longer than its timeout of ${timeoutMs} ms`);
    void around.clock.sleep(timeoutMs, over.signal).then(
      () => controller.abort(fault),
      () => undefined,
    );
  }
  try {
    const inner: Frame = { parent: task.frame, steps: new Map() };
    const at: Place = { ...place, path, signal: controller.signal };
    const { outcome, partial } = await runGroup(step.body, inner, at, around);
    if (outcome.status === 'failed') {
      await around.record({ type: 'step_failed', path, fault: outcome.fault, ms: 0 });
      return { outcome, partial };
    }
    if (outcome.status !== 'done') return { outcome, partial };
    return { outcome: await around.accept(task, outcome.output), partial };
  } catch (error) {
    return { outcome: await failed(path, error, around), partial: false };
  } finally {
    release();
    over.abort();
  }
}
