import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_USAGE } from '../../src/core/usage.js';
import {
  censusTexts,
  contextText,
  costOfCalls,
  counted,
  duration,
  roundName,
  spentTexts,
  timeText,
  tokenCount,
  tokens,
  tokensBriefly,
  tokensOfCalls,
  usd,
} from '../../src/core/words.js';

it('gives a noun its plural unless there is one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'step'))).toEqual(['0 steps', '1 step', '2 steps']);
});

it('counts what was reused as what it is: a part of what is done', () => {
  const census = { asked: 9, done: 9, reused: 6, failed: 0, skipped: 0, open: 0 };
  expect(censusTexts(census)).toEqual(['9 steps', '9 done (6 reused)']);
});

it('says a time with the zone that it is in, and a round as paths count it, too', () => {
  expect(timeText('2026-11-30T00:14:07.123Z')).toBe('2026-11-30 00:14:07 UTC');
  expect(roundName({ path: 'a/2/rounds', count: 3 })).toBe('round 3 (a/2/rounds/2)');
});

it('says times and counts as people read them', () => {
  expect([5, 1_234, 61_000, 3_700_000].map(duration)).toEqual(['5 ms', '1.2 s', '1 min 1 s', '1 h 1 min']);
  expect([999.7, 1_000, 59_960, 60_000, 3_599_700, 3_600_000].map(duration)).toEqual([
    '1 s',
    '1 s',
    '1 min',
    '1 min',
    '1 h',
    '1 h',
  ]);
  expect([1, 999_970].map(tokenCount)).toEqual(['1 token', '1.00M tokens']);
  expect([999, 1_200, 2_500_000].map(tokens)).toEqual(['999', '1.2k', '2.50M']);
});

it('says of tokens that no server told that they are unknown', () => {
  expect(tokensOfCalls(1_500, { calls: 3, unknownCalls: 0 })).toBe('1.5k tokens');
  expect(tokensOfCalls(1_500, { calls: 3, unknownCalls: 1 })).toBe('1.5k tokens and those of 1 call unknown');
  expect(tokensOfCalls(0, { calls: 3, unknownCalls: 3 })).toBe('tokens unknown');
});

it('says of a lost call beside an answered one that its tokens are unknown, not those of both', () => {
  expect(tokensOfCalls(1_500, { calls: 1, unknownCalls: 1 })).toBe('1.5k tokens and those of 1 call unknown');
});

it('says tokens in a column as briefly as it can, and nothing where no model was asked', () => {
  expect(tokensBriefly(0, { calls: 0, unknownCalls: 0 })).toBe('');
  expect(tokensBriefly(1_500, { calls: 2, unknownCalls: 0 })).toBe('1.5k tokens');
  expect(tokensBriefly(1_500, { calls: 2, unknownCalls: 1 })).toBe('1.5k+ tokens');
  expect(tokensBriefly(0, { calls: 2, unknownCalls: 2 })).toBe('tokens unknown');
});

it('says dollars with two digits that count, cents at least, and no more than that', () => {
  const said = [0, 1e-12, 0.003_1, 0.003_04, 0.05, 0.12, 0.5, 3.4, 12.345, 999.99, 1_204.4, 1_234_567, 0.1 + 0.2].map(
    usd,
  );
  expect(said).toEqual([
    '$0',
    '$0',
    '$0.0031',
    '$0.0030',
    '$0.05',
    '$0.12',
    '$0.50',
    '$3.40',
    '$12.35',
    '$999.99',
    '$1 204',
    '$1 234 567',
    '$0.30',
  ]);
});

it('is never off by more than a twentieth of the dollars', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-8, max: 1e9, noNaN: true }), (dollars) => {
      const said = Number(usd(dollars).replace(/[$ ]/g, ''));
      expect(Math.abs(said - dollars) / dollars).toBeLessThanOrEqual(0.05 + 1e-9);
    }),
  );
});

it('says of a cost what is known of it', () => {
  expect(costOfCalls({ calls: 0, usd: 0, unpricedCalls: 0 })).toBe('');
  expect(costOfCalls({ calls: 2, usd: 0, unpricedCalls: 0 })).toBe('$0');
  expect(costOfCalls({ calls: 2, usd: 0.12, unpricedCalls: 0 })).toBe('$0.12');
  expect(costOfCalls({ calls: 2, usd: 0.12, unpricedCalls: 1 })).toBe('$0.12+');
  expect(costOfCalls({ calls: 2, usd: 0, unpricedCalls: 2 })).toBe('unpriced');
  expect(costOfCalls({ calls: 0, usd: 0, unpricedCalls: 1 })).toBe('unpriced');
});

it('says what a model can read without digits that say nothing, and with all that do', () => {
  expect([4_096, 128_000, 1_000_000, 1_050_000, 10_000_000].map(contextText)).toEqual([
    'context 4.1k',
    'context 128k',
    'context 1M',
    'context 1.05M',
    'context 10M',
  ]);
});

it('tells tokens with their cost, and nothing where no call was begun', () => {
  const usage = { ...NO_USAGE, calls: 2, inputTokens: 12_000, outputTokens: 431 };
  expect(spentTexts({ ...usage, usd: 0.04 }, 'left out')).toEqual(['12.4k tokens', '$0.04']);
  expect(spentTexts({ ...usage, usd: 0.04, unpricedCalls: 1 }, 'left out')).toEqual(['12.4k tokens', '$0.04+']);
  expect(spentTexts({ ...usage, unpricedCalls: 2 }, 'left out')).toEqual(['12.4k tokens']);
  expect(spentTexts({ ...usage, unpricedCalls: 2 }, 'said')).toEqual(['12.4k tokens', 'unpriced']);
  expect(spentTexts(NO_USAGE, 'said')).toEqual([]);
});

it('tells of calls that were charged and lost, though none was answered', () => {
  const lost = { ...NO_USAGE, unknownCalls: 1 };
  expect(spentTexts({ ...lost, unpricedCalls: 1 }, 'left out')).toEqual(['tokens unknown']);
  expect(spentTexts({ ...lost, unpricedCalls: 1 }, 'said')).toEqual(['tokens unknown', 'unpriced']);
  expect(spentTexts(lost, 'said')).toEqual(['tokens unknown']);
});
