/** What a step may touch while it runs, put together from the session and the pipeline it stands in. */
import type { Ask, Clock, Processes, StepContext } from '../core/context.js';
import type { RunEvent } from '../core/events.js';
import type { Delta, Models } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import type { Skill } from '../core/plan.js';
import type { Tool } from '../core/tool.js';
import type { createTallies } from './budget.js';
import type { LeafTools } from './leaf-tools.js';

/** What is the same for all steps of a session. */
export interface SessionParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly models: Models;
  readonly tools: readonly Tool[];
  /** A model of the run is `sketch`: texts are placeholders. */
  readonly placeholder: boolean;
  readonly processes: Processes;
  /** Asks the person at the terminal; undefined when nobody is there. */
  readonly ask: Ask | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  newId(): string;
  findSkill(name: string): Skill | undefined;
  onDelta(path: StepPath, delta: Delta): void;
}

export function contextMaker(
  parts: SessionParts,
  tallyOf: ReturnType<typeof createTallies>,
  record: (event: RunEvent) => Promise<void>,
): LeafTools['context'] {
  return (task, around, keys, stepDir, signal): Omit<StepContext, 'judge'> => ({
    path: task.path,
    step: task.step,
    folders: { work: stepDir.work, step: stepDir.dir, ...around.folders },
    query: around.roots.query,
    inputs: around.inputs,
    permissions: around.permissions,
    readable: around.readable,
    ...keys,
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
