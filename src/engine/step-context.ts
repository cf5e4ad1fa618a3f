/** What a step may touch while it runs, put together from the session and the pipeline it stands in. */
import type { StepContext } from '../core/context.js';
import type { RunEvent } from '../core/events.js';
import type { Delta } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import type { createTallies } from './budget.js';
import type { LeafTools } from './leaf-tools.js';

/** What is the same for all steps of a session. */
export interface SessionParts
  extends Pick<
    StepContext,
    | 'environment'
    | 'models'
    | 'tools'
    | 'placeholder'
    | 'processes'
    | 'ask'
    | 'clock'
    | 'random'
    | 'newId'
    | 'findSkill'
  > {
  onDelta(path: StepPath, delta: Delta): void;
}

export function contextMaker(
  parts: SessionParts,
  tallyOf: ReturnType<typeof createTallies>,
  record: (event: RunEvent) => Promise<void>,
): LeafTools['context'] {
  return (task, around, attempt, stepDir, signal): Omit<StepContext, 'judge'> => ({
    path: task.path,
    step: task.step,
    folders: { work: stepDir.work, step: stepDir.dir, ...around.folders },
    query: around.roots.query,
    inputs: around.inputs,
    permissions: around.permissions,
    readable: around.readable,
    ...attempt,
    signal,
    environment: parts.environment,
    placeholder: parts.placeholder,
    clock: parts.clock,
    processes: parts.processes,
    ask: parts.ask,
    models: parts.models,
    tools: parts.tools,
    budget: tallyOf(task.path),
    findSkill: parts.findSkill,
    random: parts.random,
    newId: parts.newId,
    emit: record,
    onDelta: (delta) => parts.onDelta(task.path, delta),
  });
}
