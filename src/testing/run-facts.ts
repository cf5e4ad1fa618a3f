/** What a run did, as the claims about it see it: folded from the events of all its sessions. */
import type { Census, RunEvent, RunStatus } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { idsOf } from '../core/step-path.js';
import { stepsOf } from './claims.js';

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
  status: 'done' | 'skipped' | 'failed';
  output: Json;
  error: Json;
  failures: JsonObject[];
}

export function factsOf(plan: Plan, query: string, events: readonly RunEvent[], came: CameTo): RunFacts {
  const seen = new Map<string, Seen>();
  const files = new Set<string>();
  for (const { id } of stepsOf(plan)) {
    seen.set(id, { begun: undefined, done: undefined, status: 'skipped', output: null, error: null, failures: [] });
  }
  for (const [at, event] of events.entries()) {
    if (!('path' in event)) continue;
    const ids = idsOf(event.path).split('/');
    const one = seen.get(ids.at(-1) ?? '');
    if (!one || !isOwn(ids, plan)) continue;
    const isItem = /\/\d+$/.test(event.path);
    switch (event.type) {
      case 'loop':
        one.failures = [];
        break;
      case 'step_started':
        one.begun ??= at;
        break;
      case 'step_done':
      case 'step_reused':
        one.begun ??= at;
        for (const { path } of event.artifacts) files.add(path);
        if (isItem && event.key !== '' && isOfForeach(ids.at(-1), plan)) break;
        one.done ??= at;
        Object.assign(one, { status: 'done', output: event.output, error: null });
        break;
      case 'step_skipped':
        Object.assign(one, { status: 'skipped', output: null, error: null });
        break;
      case 'step_failed':
        one.begun ??= at;
        if (isItem && isOfForeach(ids.at(-1), plan)) {
          one.failures.push({ index: Number(event.path.split('/').at(-1)), item: null, error: viewOf(event.fault) });
          break;
        }
        Object.assign(one, { status: 'failed', output: null, error: viewOf(event.fault) });
        break;
      default:
        break;
    }
  }
  const ids = [...seen.keys()];
  const of = <T>(value: (one: Seen) => T) => Object.fromEntries([...seen].map(([id, one]) => [id, value(one)]));
  return {
    ran: of(({ begun }) => begun !== undefined),
    before: of(({ done }) =>
      Object.fromEntries(
        ids.map((id) => {
          const { begun } = seen.get(id) as Seen;
          return [id, begun === undefined || (done !== undefined && done < begun)];
        }),
      ),
    ),
    steps: of(({ status, output, error, failures }) => ({ status, output, error, failures })),
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

function viewOf({ code, message }: FaultData): JsonObject {
  return { code, message };
}

function isOwn(ids: readonly string[], plan: Plan): boolean {
  let { steps } = plan;
  for (const id of ids.slice(0, -1)) {
    const step = steps.find((one) => one.id === id);
    if (step?.body.type !== 'group') return false;
    steps = step.body.steps;
  }
  return true;
}

function isOfForeach(id: string | undefined, plan: Plan): boolean {
  return stepsOf(plan).find((step) => step.id === id)?.foreach !== undefined;
}
