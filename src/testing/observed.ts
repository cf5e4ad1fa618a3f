/** What a run did, folded from its events. */
import type { RunEvent, Sink } from '../core/events.js';
import type { Json } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { openNumbers, type StepPattern } from '../core/step-pattern.js';

export interface Observed {
  readonly sink: Sink;
  /** Leaf steps, in the order in which they came to it. A group that failed because of a step in it is not named. */
  readonly ran: ReadonlySet<StepPath>;
  readonly skipped: ReadonlySet<StepPath>;
  readonly reused: ReadonlySet<StepPath>;
  failed(): StepPath[];
  /** Names of the calls of a step, without `resolve`. */
  readonly tools: ReadonlyMap<StepPath, readonly string[]>;
  /** Every path that an event named. */
  readonly known: ReadonlySet<StepPath>;
  /** Of the step that is meant; of several the last one. Null for one that was skipped, or has failed. */
  output(pattern: StepPattern): { readonly path: StepPath; readonly value: Json } | undefined;
  pathsOf(pattern: StepPattern): StepPath[];
}

export function observe(): Observed {
  const ran = new Set<StepPath>();
  const skipped = new Set<StepPath>();
  const reused = new Set<StepPath>();
  const failed = new Set<StepPath>();
  const groups = new Set<StepPath>();
  const known = new Set<StepPath>();
  const tools = new Map<StepPath, string[]>();
  const outputs = new Map<StepPath, Json>();
  const closestIn = (paths: Iterable<StepPath>, pattern: StepPattern): StepPath | undefined => {
    let best: { readonly path: StepPath; readonly open: number } | undefined;
    for (const path of paths) {
      const open = openNumbers(pattern, path);
      if (open !== undefined && (!best || open <= best.open)) best = { path, open };
    }
    return best?.path;
  };

  const see = (event: RunEvent): void => {
    if (!('path' in event)) return;
    const { path } = event;
    known.add(path);
    switch (event.type) {
      case 'loop':
        groups.add(path);
        return;
      case 'step_started':
        if (event.key === '') groups.add(path);
        else ran.add(path);
        return;
      case 'step_done':
      case 'step_reused':
        if (event.type === 'step_reused') reused.add(path);
        // The last one of a loop counts.
        outputs.delete(path);
        outputs.set(path, event.output);
        failed.delete(path);
        return;
      case 'step_skipped':
        if (!ran.has(path) && !groups.has(path)) skipped.add(path);
        return;
      case 'step_failed':
        failed.add(path);
        return;
      case 'tool':
      case 'tool_refused':
        if (event.name !== 'resolve') tools.set(path, [...(tools.get(path) ?? []), event.name]);
        return;
      default:
        return;
    }
  };
  return {
    sink: { write: see },
    ran,
    skipped,
    reused,
    tools,
    known,
    failed: () => [...failed].filter((path) => ![...failed].some((other) => other.startsWith(`${path}/`))),
    output(pattern) {
      const path = closestIn(outputs.keys(), pattern) ?? closestIn([...skipped, ...failed], pattern);
      return path === undefined ? undefined : { path, value: outputs.get(path) ?? null };
    },
    pathsOf: (pattern) => [...known].filter((path) => openNumbers(pattern, path) !== undefined),
  };
}
