import { expect, it } from 'vitest';
import { ageText, processesText, sizeText } from '../../src/cli/amounts.js';

it.each([
  [-5, 'now'],
  [59_999, 'now'],
  [60_000, '1 min'],
  [3 * 3_600_000, '3 h'],
  [86_400_000, '1 day'],
  [40.9 * 86_400_000, '40 days'],
  [Number.NaN, ''],
])('an age of %d ms is %j', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

it.each([
  [0, '0 KB'],
  [1, '1 KB'],
  [1_023 * 1_024, '1023 KB'],
  [1_258_291, '1.2 MB'],
  [50 * 1_024 ** 2, '50 MB'],
  [3 * 1_024 ** 3, '3.0 GB'],
])('a size of %d bytes is %j', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it('counts processes in words', () => {
  expect([1, 2].map(processesText)).toEqual(['1 process', '2 processes']);
});
