/** Counts over the events of a run: steps and items asked, done, failed, skipped, reused; model calls and tokens. */
import type { Census, Recorded, RunEvent, UsageTotal } from '../core/events.js';
import type { StepPath } from '../core/types.js';

type Standing = 'open' | 'done' | 'reused' | 'failed' | 'skipped';

export interface Counts {
  add(event: RunEvent | Recorded): void;
  census(): Census;
  usage(): UsageTotal;
}

/** Groups and loops are not counted: their steps and items are. */
export function createCounts(): Counts {
  const standing = new Map<StepPath, Standing>();
  const composite = new Set<StepPath>();
  const total = { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, unknownCalls: 0 };
  return {
    add(event) {
      switch (event.type) {
        case 'loop':
          composite.add(event.path);
          return;
        case 'step_started':
          if (event.key === '') composite.add(event.path);
          else standing.set(event.path, 'open');
          return;
        case 'step_done':
          if (event.key !== '') standing.set(event.path, 'done');
          return;
        case 'step_reused':
          standing.set(event.path, 'reused');
          return;
        case 'step_ended':
          standing.set(event.path, 'done');
          return;
        case 'step_failed':
          if (!composite.has(event.path)) standing.set(event.path, 'failed');
          return;
        case 'step_skipped':
          standing.set(event.path, 'skipped');
          return;
        case 'run_resumed':
          standing.clear();
          composite.clear();
          return;
        case 'round':
          total.calls++;
          if (!event.usage) total.unknownCalls++;
          total.inputTokens += event.usage?.inputTokens ?? 0;
          total.outputTokens += event.usage?.outputTokens ?? 0;
          total.cachedTokens += event.usage?.cachedTokens ?? 0;
          return;
        default:
          return;
      }
    },
    census() {
      const count = (...which: Standing[]) => [...standing.values()].filter((one) => which.includes(one)).length;
      return {
        asked: standing.size,
        done: count('done', 'reused'),
        failed: count('failed'),
        skipped: count('skipped'),
        reused: count('reused'),
      };
    },
    usage: () => ({ ...total }),
  };
}
