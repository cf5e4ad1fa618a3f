/** What a run did, as the claims about it see it: folded from the events of all its sessions. */
import type { Census, RunEvent, RunStatus } from '../core/events.js';
import type { Json, JsonObject } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { type Plan, stepsByIds, stepsOfFile } from '../core/plan.js';
import { idsOf, numbersAtEnd } from '../core/step-path.js';
import { errorView } from '../engine/scope.js';

export interface RunFacts {
  /** By id: whether a step was begun, or its earlier result taken. */
  readonly ran: Readonly<Record<string, boolean>>;
  /** `before[a][b]`: b was never begun, or not before a was done. */
  readonly before: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  /** By id: what became of the step at the last place where it stood. */
  readonly steps: JsonObject;
  readonly query: string;
  readonly status: RunStatus;
  readonly outcome: string;
  readonly message: string;
  readonly result: Json;
  readonly census: Census;
  readonly tokens: number;
  /** What the steps have published. */
  readonly files: readonly string[];
}

/** What the last session came to. */
export interface CameTo {
  readonly status: RunStatus;
  readonly outcome: string;
  readonly message: string;
  readonly result: Json;
  readonly census: Census;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

interface Seen {
  begun: number | undefined;
  done: number | undefined;
  /** As `steps.<id>` in the pipeline, but for the items of failures, which no event says. */
  view: JsonObject;
}

const NEVER_RAN: JsonObject = { status: 'skipped', output: null, error: null, failures: [] };

export function factsOf(plan: Plan, query: string, events: readonly RunEvent[], came: CameTo): RunFacts {
  const { seen, files } = fold(plan, events);
  const of = <T>(value: (one: Seen) => T) => Object.fromEntries([...seen].map(([id, one]) => [id, value(one)]));
  return {
    ran: of(({ begun }) => begun !== undefined),
    before: of(({ done }) => of(({ begun }) => begun === undefined || (done !== undefined && done < begun))),
    steps: of(({ view }) => view),
    query,
    status: came.status,
    outcome: came.outcome,
    message: came.message,
    result: came.result,
    census: came.census,
    tokens: came.usage.inputTokens + came.usage.outputTokens,
    files: [...files],
  };
}

function fold(plan: Plan, events: readonly RunEvent[]) {
  const own = new Set(stepsOfFile(plan));
  const byIds = stepsByIds(plan);
  const seen = new Map([...own].map(({ id }): [string, Seen] => [id, newlySeen()]));
  const files = new Set<string>();
  const lost = new Map<StepPath, Map<number, JsonObject>>();
  for (const [at, event] of events.entries()) {
    if (!('path' in event)) continue;
    const { path } = event;
    const step = byIds.get(idsOf(path));
    const one = step && own.has(step) ? seen.get(step.id) : undefined;
    if (!step || !one) continue;
    // An item, or a round, is not the step: what is said of these is not yet said of it.
    const numbers = numbersAtEnd(path);
    const isWhole = numbers.length === 0;
    switch (event.type) {
      case 'loop':
        if (event.of === 'items') lost.delete(path);
        break;
      case 'step_started':
        one.begun ??= at;
        break;
      case 'step_done':
      case 'step_reused':
        one.begun ??= at;
        for (const file of event.artifacts) files.add(file.path);
        if (!isWhole) break;
        one.done ??= at;
        one.view = { status: 'done', output: event.output, error: null, failures: inOrder(lost.get(path)) };
        break;
      case 'step_skipped':
        if (isWhole) one.view = NEVER_RAN;
        break;
      case 'step_failed':
        one.begun ??= at;
        if (isWhole) {
          const error = errorView(event.fault);
          one.view = { status: 'failed', output: null, error, failures: inOrder(lost.get(path)) };
        } else if (step.foreach && numbers.length === 1) {
          const loop = path.slice(0, path.lastIndexOf('/'));
          const [index = 0] = numbers;
          const failures = lost.get(loop) ?? new Map<number, JsonObject>();
          lost.set(loop, failures.set(index, { index, error: errorView(event.fault) }));
        }
        break;
      default:
        break;
    }
  }
  return { seen, files };
}

function newlySeen(): Seen {
  return { begun: undefined, done: undefined, view: NEVER_RAN };
}

/** As the pipeline has them: by the number of the item, and not as they came. */
function inOrder(lost: ReadonlyMap<number, JsonObject> = new Map()): JsonObject[] {
  return [...lost].sort(([a], [b]) => a - b).map(([, failure]) => failure);
}
