/** What the model calls of a run, a step or an attempt used, summed over their events. */
import type { RunEvent, UsageTotal } from './events.js';
import type { Usage } from './model.js';

export const NO_USAGE: UsageTotal = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  unknownCalls: 0,
  usd: 0,
  unpricedCalls: 0,
};

/**
 * Tokens and dollars are what servers told; no estimate is among them, though limits count those. `calls` are the calls that were answered in full.
 * One that was begun and lost (`call_retry` with an estimate, `call_lost`) is none of them, but is one of `unknownCalls` and `unpricedCalls`,
 * as is an answer without usage. What costs nothing, whatever it uses, is priced.
 */
export function withEvent(total: UsageTotal, event: RunEvent): UsageTotal {
  switch (event.type) {
    case 'round':
      return event.counted ? total : withAnswer(total, event);
    case 'call_lost':
    case 'call_retry':
      if (event.type === 'call_lost' && event.usage) return withAnswer(total, event);
      if (event.estimatedTokens === undefined) return total;
      return sumOfUsage(total, { ...NO_USAGE, unknownCalls: 1, unpricedCalls: event.usd === 0 ? 0 : 1 });
    default:
      return total;
  }
}

function withAnswer(total: UsageTotal, { usage, usd }: { readonly usage?: Usage; readonly usd?: number }): UsageTotal {
  const isPriced = usd === 0 || (usage !== undefined && usd !== undefined);
  return sumOfUsage(total, {
    calls: 1,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    unknownCalls: usage ? 0 : 1,
    usd: isPriced ? usd : 0,
    unpricedCalls: isPriced ? 0 : 1,
  });
}

export function sumOfUsage(a: UsageTotal, b: UsageTotal): UsageTotal {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    unknownCalls: a.unknownCalls + b.unknownCalls,
    usd: a.usd + b.usd,
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
  };
}
