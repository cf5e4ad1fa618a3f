import { expect, it } from 'vitest';
import { change, lineTexts, spoken, summary } from '../../src/explain/say.js';

it('shows long values around the place where they begin to differ', () => {
  const long = 'x'.repeat(500);
  const said = change({ before: `${long}old${long}`, now: `${long}new${long}` });
  expect(said).toContain('old');
  expect(said).toContain('new');
  for (const side of said.split(' → ')) expect(side.length).toBeLessThanOrEqual(122);
});

it('shows a line that took the place of another, both cut at the same character', () => {
  const long = 'word '.repeat(100);
  const [was, is] = lineTexts([
    { line: 9, type: 'removed', text: `${long}old` },
    { line: 12, type: 'added', text: `${long}new` },
  ]);
  expect(was).toMatch(/^ 9 - ….*old$/);
  expect(is).toMatch(/^12 \+ ….*new$/);
});

it('escapes what a terminal would obey', () => {
  expect(lineTexts([{ line: 1, type: 'added', text: 'a\u001b[2J' }])).toEqual(['1 + a\\u001b[2J']);
  expect(lineTexts([{ line: 1, type: 'added', text: 'b\u202Ec\td' }])).toEqual(['1 + b\\u202ec\td']);
  expect(spoken('\u009b2J')).toBe('"\\u009b2J"');
});

it('never cuts a character in two', () => {
  expect(spoken('😀'.repeat(300))).not.toMatch(/\p{Cs}/u);
});

it('sums up what became of a value', () => {
  expect(summary({ hits: [1, 2, 3], n: 1 }, { hits: [1, 5, 3], n: 1 })).toBe('1 of 3 hits changed');
  expect(summary({ hits: [1] }, { hits: [1, 2] })).toBe('hits: 1 new (2 now)');
  expect(summary({ verdict: 'a', why: 'b' }, { verdict: 'c', why: 'd' })).toBe('verdict, why changed');
  expect(summary(['a'], ['b', 'c'])).toBe('1 of 2 items changed, 1 new');
  expect(summary(null, { a: 1 })).toBe('null → {"a":1}');
});
