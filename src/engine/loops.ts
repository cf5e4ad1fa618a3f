/** foreach and repeat around a step's body. */
import { Fault, type FaultData } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { StepOutcome, Where } from '../core/outcome.js';
import type { Foreach, Repeat, Step } from '../core/plan.js';
import { performGroup } from './group.js';
import { below, cutOff, failed, type Performed, type Place, type Surroundings, type Task, whereOf } from './place.js';
import { errorView, evaluateIn, type Frame, renderIn } from './scope.js';
import { pooled } from './slots.js';

interface Looped extends Performed {
  /** `steps.<id>.failures` of a foreach. */
  readonly failures: readonly Json[];
}

export async function runLoops(step: Step, frame: Frame, home: Place, around: Surroundings): Promise<Looped> {
  const task: Task = {
    ...whereOf(home, step),
    step,
    frame,
    home,
    prefix: home.prefix,
    signal: home.signal,
    saves: true,
  };
  if (step.foreach) return runItems(task, step.foreach, around);
  return { ...(await runRounds(task, around)), failures: [] };
}

async function runItems(task: Task, foreach: Foreach, around: Surroundings): Promise<Looped> {
  const { step, path, frame } = task;
  const begun = around.clock.now();
  let items: readonly Json[];
  try {
    items = listOf(foreach, renderIn(foreach.over, frame, around.roots));
  } catch (error) {
    return { outcome: await failed(path, error, around), failures: [], partial: false };
  }
  await around.record({ type: 'loop', path, of: 'items', count: items.length });
  const limit = foreach.maxParallel ?? around.maxParallel;
  const results = await pooled(items, limit, async (item, index) => {
    if (around.halt.reason() || task.signal.aborted) return undefined;
    const inner: Frame = { parent: frame, steps: new Map(), loop: { id: step.id, values: { item, index } } };
    const where = below(task, String(index), '*');
    return runRounds({ ...task, ...where, frame: inner, prefix: `${task.prefix}${step.id}/${index}/` }, around);
  });
  const looped = gather(task, foreach, items, results, around);
  if (looped.outcome.status === 'failed') {
    await around.record({ type: 'step_failed', path, fault: looped.outcome.fault, ms: around.clock.now() - begun });
  }
  if (looped.outcome.status === 'done') {
    const { output } = looped.outcome;
    await around.record({ type: 'step_done', path, key: '', output, artifacts: [], ms: around.clock.now() - begun });
    around.loopEnded(task);
  }
  return looped;
}

function listOf(foreach: Foreach, value: Json): readonly Json[] {
  if (!Array.isArray(value)) {
    const kind = value === null ? 'null' : typeof value;
    throw new Fault('step.items', `foreach needs a list, but its value is ${kind}`);
  }
  if (value.length > foreach.maxItems) {
    const message = `foreach has ${value.length} items; max_items is ${foreach.maxItems}`;
    throw new Fault('step.items', message, {
      hint: 'Raise max_items, or cut the list in the step that makes it: items are never dropped silently.',
    });
  }
  return value;
}

function gather(
  task: Task,
  foreach: Foreach,
  items: readonly Json[],
  results: readonly (Performed | undefined)[],
  around: Surroundings,
): Looped {
  const outputs: Json[] = [];
  const failures: Json[] = [];
  const faults: FaultData[] = [];
  const partial = results.some((result) => result?.partial);
  for (const [index, result] of results.entries()) {
    const outcome: StepOutcome = result?.outcome ?? cutOff(task.signal, around);
    switch (outcome.status) {
      case 'done':
        outputs.push(outcome.output);
        break;
      case 'failed':
        faults.push(outcome.fault);
        failures.push({ index, item: items[index] ?? null, error: errorView(outcome.fault) });
        break;
      case 'skipped':
      case 'ended':
      case 'waiting':
      case 'stopped':
        return { outcome, failures: [], partial };
    }
  }
  const fault = tooFew(foreach, items.length, outputs.length, failures, faults);
  if (fault) return { outcome: { status: 'failed', fault }, failures, partial };
  return { outcome: { status: 'done', output: outputs, artifacts: [] }, failures, partial };
}

/** The fault of a loop in which fewer items succeeded than must. */
function tooFew(
  foreach: Foreach,
  items: number,
  succeeded: number,
  failures: readonly Json[],
  faults: readonly FaultData[],
): FaultData | undefined {
  const { minSuccess } = foreach;
  const needed = 'count' in minSuccess ? minSuccess.count : Math.ceil(minSuccess.share * items - 1e-9);
  if (succeeded >= needed) return undefined;
  const [first] = faults;
  if (!first) {
    const message = `it has ${items} items, all of which succeeded; min_success asks for ${needed}`;
    return { code: 'step.min_success', message };
  }
  const all = needed === items;
  const index = (failures[0] as { index: number }).index;
  const asked = all ? '' : ` (min_success: ${needed})`;
  const message = `${faults.length} of ${items} items failed${asked}; the first is item ${index}: ${first.message}`;
  return { ...first, code: all || first.code.startsWith('provider.') ? first.code : 'step.min_success', message };
}

async function runRounds(task: Task, around: Surroundings): Promise<Performed> {
  const { repeat } = task.step;
  if (!repeat) return perform(task, around);
  const { path } = task;
  const begun = around.clock.now();
  let previous: Json = null;
  let partial = false;
  for (let iteration = 0; iteration < repeat.max; iteration++) {
    await around.record({ type: 'loop', path, of: 'rounds', count: iteration + 1 });
    const loop = { id: task.step.id, values: { previous, iteration } };
    const inner: Frame = { parent: task.frame, steps: new Map(), loop };
    const where = below(task, String(iteration), String(iteration));
    const round = await perform({ ...task, ...where, frame: inner, saves: false }, around);
    partial ||= round.partial;
    if (round.outcome.status === 'failed') {
      await around.record({ type: 'step_failed', path, fault: round.outcome.fault, ms: around.clock.now() - begun });
    }
    if (round.outcome.status !== 'done') return { outcome: round.outcome, partial };
    previous = round.outcome.output;
    const last = iteration + 1 === repeat.max;
    const verdict = await untilHolds(repeat, inner, previous, task, around);
    if (typeof verdict !== 'boolean') return { outcome: verdict, partial };
    if (!verdict && last && repeat.onMax === 'accept') {
      const text = `accepted after ${repeat.max} rounds: until never held`;
      await around.record({ type: 'step_notice', path, text, accepted: true });
    }
    if (verdict || (last && repeat.onMax === 'accept')) {
      const outcome = await finish(task, previous, begun, around);
      if (outcome.status === 'done') around.loopEnded(where);
      return { outcome, partial };
    }
  }
  const { message, hint } = repeat.tooMany ?? {
    message: `${repeat.max} rounds passed and until never held: ${repeat.until.source}`,
    hint: 'Raise max, or set on_max: accept to take the last output.',
  };
  const fault = new Fault('step.repeat_max', message, { hint });
  return { outcome: await failed(path, fault, around), partial };
}

async function finish(task: Task, output: Json, begunMs: number, around: Surroundings): Promise<StepOutcome> {
  try {
    return await around.finish(task, output, begunMs);
  } catch (error) {
    return failed(task.path, error, around);
  }
}

async function untilHolds(
  repeat: Repeat,
  frame: Frame,
  output: Json,
  where: Where,
  around: Surroundings,
): Promise<boolean | StepOutcome> {
  try {
    return evaluateIn(repeat.until, frame, around.roots, output) === true;
  } catch (error) {
    return failed(where.path, error, around);
  }
}

/** A leaf retries itself, since its attempts share a key. */
async function perform(task: Task, around: Surroundings): Promise<Performed> {
  const { body } = task.step;
  if (body.type === 'leaf') return { outcome: await around.leaf({ ...task, body }), partial: false };
  return performGroup(task, around);
}
