/** What a simulated model says that a call has used: few tokens, many, nonsense, or nothing. */
import type { Usage } from '../../core/model.js';
import type { Draw } from '../choices/choices.js';

export const PLAIN_USAGE: Usage = { inputTokens: 200, outputTokens: 40, cachedTokens: 0 };

export function usageOf(draw: Draw): Usage | undefined {
  const all: (Usage | undefined)[] = [
    PLAIN_USAGE,
    undefined,
    { inputTokens: 1_500, outputTokens: 700, cachedTokens: 0 },
    { inputTokens: 30_000, outputTokens: 9_000, cachedTokens: 0 },
    { inputTokens: 5_000_000, outputTokens: 1, cachedTokens: 0 },
    { inputTokens: -4, outputTokens: Number.NaN, cachedTokens: 0 },
  ];
  return all[draw.rarely(0.08, all.length)];
}
