import { expect, it } from 'vitest';
import { counted, duration, tokenCount, tokens, tokensOfCalls } from '../../src/core/words.js';

it('gives a noun its plural unless there is one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'step'))).toEqual(['0 steps', '1 step', '2 steps']);
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
