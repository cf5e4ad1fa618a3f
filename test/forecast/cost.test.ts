import { expect, it } from 'vitest';
import { costOf } from '../../src/forecast/cost.js';
import type { WorstCase } from '../../src/forecast/worst-case.js';
import { priceFrom } from '../../src/providers/prices.js';

const worst = (usd?: number): WorstCase => ({
  calls: 12,
  processes: 0,
  callsByModel: { default: 10, judge: 2 },
  limits: { tokens: 500_000, timeMs: 1, maxParallel: 1, ...(usd === undefined ? {} : { usd }) },
});

it('takes all tokens of the limit at the dearest price, and no more than the limit in dollars', () => {
  const prices = { default: priceFrom({ input: 1, output: 4 }), judge: priceFrom({ input: 3, output: 10 }) };
  const priceOf = (model: string) => prices[model as keyof typeof prices];
  const least = { default: 200_000, judge: 10_000 };
  const range = costOf(worst(), least, priceOf);
  expect(range).toMatchObject({ type: 'range', mostUsd: 5 });
  expect(range.type === 'range' && range.leastUsd).toBeCloseTo(0.23);
  expect(costOf(worst(0.1), least, priceOf)).toEqual({ type: 'range', leastUsd: 0.1, mostUsd: 0.1 });
});

it('never takes an unknown price as 0', () => {
  expect(costOf(worst(), {}, (model) => (model === 'judge' ? undefined : () => 0))).toEqual({
    type: 'unpriced',
    models: ['judge'],
  });
});

it('says that a plan without model calls costs nothing', () => {
  expect(costOf({ ...worst(), calls: 0, callsByModel: {} }, {}, () => undefined)).toEqual({ type: 'none' });
});

it('reckons the least as short calls, the most as long ones, which some charge more for', () => {
  const tiered = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
    (inputTokens > 200_000 ? 2 : 1) * (inputTokens + 5 * outputTokens) * 1e-6;
  const range = costOf({ ...worst(), callsByModel: { default: 1 } }, { default: 300_000 }, () => tiered);
  expect(range.type === 'range' && range.leastUsd).toBeCloseTo(0.3);
  expect(range.type === 'range' && range.mostUsd).toBeCloseTo(5);
});

it('reckons with the models that may take the place of those that are asked', () => {
  const prices = {
    default: priceFrom({ input: 1, output: 1 }),
    judge: priceFrom({ input: 1, output: 1 }),
    dear: priceFrom({ input: 20, output: 60 }),
  };
  const priceOf = (model: string) => prices[model as keyof typeof prices];
  expect(costOf(worst(), { default: 100_000 }, priceOf, ['dear'])).toMatchObject({ type: 'range', mostUsd: 30 });
  expect(costOf(worst(), {}, priceOf, ['unheard'])).toEqual({ type: 'unpriced', models: ['unheard'] });
});
