import { describe, expect, it } from 'vitest';
import { columnsOf, cutTo } from '../../src/core/columns.js';

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

it('leaves no gap before the ellipsis', () => {
  expect(cutTo('abc defg', 5)).toBe('abc…');
});
