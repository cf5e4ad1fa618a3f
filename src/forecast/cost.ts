/** What a run can cost, as far as prices are known. */
import type { PriceOf, Usage } from '../core/model.js';
import type { WorstCase } from './worst-case.js';

export type Cost =
  /** No step calls a model. */
  | { readonly type: 'none' }
  /** An unknown price is never taken as 0. */
  | { readonly type: 'unpriced'; readonly models: readonly string[] }
  /** `leastUsd`: every agent is asked once, and only what is written counts. `mostUsd`: the tokens of the limit, all at the dearest price of a model or a fallback. */
  | { readonly type: 'range'; readonly leastUsd: number; readonly mostUsd: number };

/** Tokens that are certainly sent, by model. */
export type LeastTokens = Readonly<Record<string, number>>;

/**
 * @param priceOf of a role or `provider/model-id`; undefined if nobody knows
 * @param fallbacks names of models that may take the place of those that are asked
 */
export function costOf(
  worst: WorstCase,
  leastTokens: LeastTokens,
  priceOf: (model: string) => PriceOf | undefined,
  fallbacks: readonly string[] = [],
): Cost {
  const models = Object.keys(worst.callsByModel);
  if (models.length === 0) return { type: 'none' };
  const all = [...new Set([...models, ...fallbacks])];
  const unpriced = all.filter((model) => priceOf(model) === undefined);
  if (unpriced.length > 0) return { type: 'unpriced', models: unpriced };
  const most = worst.limits.tokens * Math.max(...all.map((model) => dearest(priceOf(model))));
  const mostUsd = Math.min(most, worst.limits.usd ?? most);
  const least = models.map((model) => (leastTokens[model] ?? 0) * cheapest(priceOf(model)));
  return {
    type: 'range',
    leastUsd: Math.min(
      mostUsd,
      least.reduce((sum, usd) => sum + usd, 0),
    ),
    mostUsd,
  };
}

const MILLION = 1_000_000;
const THOUSAND = 1_000;

/** A token in a long call, which some providers charge more for. */
function dearest(price: PriceOf | undefined): number {
  const kinds = [
    { inputTokens: MILLION },
    { inputTokens: MILLION, cacheWrittenTokens: MILLION },
    { inputTokens: 0, outputTokens: MILLION },
    { inputTokens: MILLION, outputTokens: MILLION },
  ];
  const [fresh = 0, written = 0, output = 0, both = 0] = kinds.map((kind) => price?.(usage(kind)) ?? 0);
  return Math.max(fresh, written, output, both - fresh) / MILLION;
}

/** A token of a prompt in a short call. */
function cheapest(price: PriceOf | undefined): number {
  return (price?.(usage({ inputTokens: THOUSAND })) ?? 0) / THOUSAND;
}

function usage(some: Partial<Usage>): Usage {
  return { inputTokens: 0, outputTokens: 0, cachedTokens: 0, ...some };
}
