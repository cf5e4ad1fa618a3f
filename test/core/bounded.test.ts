import { expect, it } from 'vitest';
import { TookTooLong, within } from '../../src/core/bounded.js';

it('gives what the work gives, and throws what it throws', () => {
  const own = new TypeError('own');
  expect(within(5_000, () => [1])).toEqual([1]);
  expect(() =>
    within(5_000, () => {
      throw own;
    }),
  ).toThrow(own);
});

it.each<[string, () => unknown]>([
  [
    'a loop without end',
    () => {
      for (;;);
    },
  ],
  ['a regular expression that reads a text in very many ways', () => /^(a+)+$/u.test(`${'a'.repeat(60)}!`)],
  ['one of cubic time on a long text', () => /[a-z]*[a-z]*!$/u.test('a'.repeat(100_000))],
])('gives up %s', (_, work) => {
  expect(() => within(20, work)).toThrow(TookTooLong);
  expect(within(5_000, () => 'goes on')).toBe('goes on');
});

it('may stand in itself', () => {
  expect(within(5_000, () => [within(5_000, () => 1), within(5_000, () => 2)])).toEqual([1, 2]);
});
