import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/core/events.js';
import { NO_USAGE, withEvent } from '../../src/core/usage.js';

const fault = { code: 'provider.silent', message: 'nothing came' } as const;
const round = (more: object): RunEvent => ({
  type: 'round',
  path: 'a',
  round: 1,
  calls: [],
  model: 'm',
  ms: 1,
  ...more,
});
const retry = (more: object): RunEvent => ({ type: 'call_retry', path: 'a', attempt: 2, waitMs: 1, fault, ...more });
const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 40 };
const sum = (...events: readonly RunEvent[]) => events.reduce(withEvent, NO_USAGE);

it('sums tokens and dollars of answers whose usage and price are known', () => {
  expect(sum(round({ usage, usd: 0.5 }), round({ usage, usd: 0.25 }))).toEqual({
    calls: 2,
    inputTokens: 200,
    outputTokens: 20,
    cachedTokens: 80,
    unknownCalls: 0,
    usd: 0.75,
    unpricedCalls: 0,
  });
});

it('takes an answer without usage as unknown and unpriced, whatever it was estimated to cost', () => {
  expect(sum(round({ estimatedTokens: 900, usd: 0.5 }))).toEqual({
    ...NO_USAGE,
    calls: 1,
    unknownCalls: 1,
    unpricedCalls: 1,
  });
});

it('takes an answer without a price as unpriced, with its tokens', () => {
  expect(sum(round({ usage }))).toMatchObject({
    calls: 1,
    inputTokens: 100,
    unknownCalls: 0,
    usd: 0,
    unpricedCalls: 1,
  });
});

it('takes a model that costs nothing as priced, though it says no usage', () => {
  expect(sum(round({ estimatedTokens: 9, usd: 0 }))).toMatchObject({ calls: 1, unknownCalls: 1, unpricedCalls: 0 });
});

it('counts a lost call as unknown and unpriced, as no call that was answered', () => {
  const lost: RunEvent = { type: 'call_lost', path: 'a', estimatedTokens: 900, usd: 0.1 };
  expect(sum(lost, retry({ estimatedTokens: 900 }))).toEqual({ ...NO_USAGE, unknownCalls: 2, unpricedCalls: 2 });
});

it('counts nothing for a call that nobody had begun to answer', () => {
  expect(sum(retry({}))).toEqual(NO_USAGE);
});
