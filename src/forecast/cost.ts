/** What a run can cost, as far as prices are known. */
import type { WorstCase } from './worst-case.js';

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export type Cost =
  /** No step calls a model. */
  | { readonly type: 'none' }
  /** An unknown price is never taken as 0. */
  | { readonly type: 'unpriced'; readonly models: readonly string[] }
  /** `leastUsd`: every agent is asked once, and only what is written counts. `mostUsd`: the tokens of the limit, all at the dearest price. */
  | { readonly type: 'range'; readonly leastUsd: number; readonly mostUsd: number };

/** Tokens that are certainly sent, by model. */
export type LeastTokens = Readonly<Record<string, number>>;

/** @param priceOf of a role or `provider/model-id`; undefined if nobody knows */
export function costOf(
  worst: WorstCase,
  leastTokens: LeastTokens,
  priceOf: (model: string) => Price | undefined,
): Cost {
  const models = Object.keys(worst.callsByModel);
  if (models.length === 0) return { type: 'none' };
  const unpriced = models.filter((model) => priceOf(model) === undefined);
  if (unpriced.length > 0) return { type: 'unpriced', models: unpriced };
  const dearest = Math.max(...models.map((model) => Math.max(priceOf(model)?.input ?? 0, priceOf(model)?.output ?? 0)));
  const most = (worst.limits.tokens * dearest) / 1_000_000;
  const mostUsd = Math.min(most, worst.limits.usd ?? most);
  const least = models.map((model) => ((leastTokens[model] ?? 0) * (priceOf(model)?.input ?? 0)) / 1_000_000);
  return {
    type: 'range',
    leastUsd: Math.min(
      mostUsd,
      least.reduce((sum, usd) => sum + usd, 0),
    ),
    mostUsd,
  };
}
