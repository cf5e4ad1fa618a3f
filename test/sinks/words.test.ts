import { describe, expect, it } from 'vitest';
import { columnsOf, cutTo } from '../../src/core/columns.js';
import { plainText } from '../../src/core/plain-text.js';
import { duration, tokenCount, tokens } from '../../src/core/words.js';

describe('columnsOf', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['平安夜', 6],
    ['a平b', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['☂️', 2],
    ['🇨🇳', 2],
    ['…', 1],
    ['ｶﾅ', 2],
    ['가', 2],
    ['\u200b', 0],
  ])('%j takes %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });
});

it('cuts to columns, never in the middle of a wide character, and leaves what fits', () => {
  expect(cutTo('abcdef', 6)).toBe('abcdef');
  expect(cutTo('abcdef', 4)).toBe('abc…');
  expect(cutTo('平安夜', 4)).toBe('平…');
});

it('takes out of text what a terminal would obey', () => {
  expect(plainText('a\u001b[31mred\u001b[0m\r\nb\u0007\u009b2J')).toBe('ared b2J');
  expect(plainText('\u001b]0;title\u0007x')).toBe(']0;titlex');
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
