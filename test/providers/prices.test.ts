import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed, priceAt, priceFrom } from '../../src/providers/prices.js';

const clock = { now: () => Date.UTC(2026, 6, 1) };
const OPENAI = 'https://api.openai.com/v1';
const usage = (inputTokens: number, outputTokens: number, cachedTokens = 0, cacheWrittenTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedTokens,
  cacheWrittenTokens,
});

describe('a price of the configuration', () => {
  it('is for a million tokens, each kind at its own', () => {
    const price = priceFrom({ input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 });
    expect(price(usage(1_000_000, 0))).toBeCloseTo(2);
    expect(price(usage(0, 1_000_000))).toBeCloseTo(10);
    expect(price(usage(1_000_000, 0, 1_000_000))).toBeCloseTo(0.2);
    expect(price(usage(1_000_000, 0, 250_000, 500_000))).toBeCloseTo(0.05 + 1.25 + 0.5);
  });

  it('takes cached tokens at the full price unless it says otherwise', () => {
    const price = priceFrom({ input: 2, output: 10 });
    expect(price(usage(1_000_000, 0, 600_000, 400_000))).toBeCloseTo(2);
  });

  it('is never less than nothing, whatever a server counts', () => {
    const count = fc.nat(2_000_000);
    const price = priceFrom({ input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 });
    fc.assert(
      fc.property(count, count, count, count, (input, output, cached, written) => {
        const cost = price(usage(input, output, cached, written));
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(cost).toBeLessThanOrEqual((2.5 * input + 10 * output) / 1_000_000 + 1e-9);
      }),
    );
  });
});

describe('the price list', () => {
  it.each([
    [OPENAI, 'gpt-5-mini'],
    ['https://api.anthropic.com', 'claude-sonnet-4-5'],
    ['https://api.deepseek.com/v1', 'deepseek-chat'],
  ])('knows at %s what %s costs: less for what is cached', async (url, model) => {
    const price = await priceAt(url, model, clock);
    const fresh = price?.(usage(1_000, 100)) ?? 0;
    expect(fresh).toBeGreaterThan(0);
    expect(price?.(usage(1_000, 100, 900))).toBeLessThan(fresh);
    expect(price?.(usage(10, 1, 100, 50))).toBeGreaterThan(0);
    expect((await listed(url, model, clock)).contextTokens).toBeGreaterThan(10_000);
  });

  it('reckons with whatever a server counts', async () => {
    const price = await priceAt(OPENAI, 'gpt-5-mini', clock);
    for (const count of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(price?.(usage(count, count, count, count))).toBe(0);
    expect(price?.(usage(10, 0, 100, 100))).toBeGreaterThan(0);
  });

  it.each([
    [OPENAI, 'no-such-model'],
    [OPENAI, 'constructor'],
    [OPENAI, 'text-embedding-3-large'],
    ['https://proxy.example/v1', 'gpt-5-mini'],
  ])('leaves unpriced at %s what it does not know to cost: %s', async (url, model) => {
    expect(await priceAt(url, model, clock)).toBeUndefined();
  });

  it('has a price of nothing only for what is called free', async () => {
    const free = await priceAt('https://openrouter.ai/api/v1', 'allenai/molmo-7b-d:free', clock);
    expect(free?.(usage(1_000, 1_000))).toBe(0);
    expect(await priceAt('https://generativelanguage.googleapis.com/v1beta/openai', 'gemma-3', clock)).toBeUndefined();
  });
});

it('takes a server on this machine to cost nothing', async () => {
  const price = await priceAt('http://127.0.0.1:11434/v1', 'gpt-5-mini', clock);
  expect(price?.(usage(1_000, 1_000))).toBe(0);
});
