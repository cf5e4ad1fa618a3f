import { expect, it } from 'vitest';
import { broken } from '../../src/cli/chat-screen.js';
import { columnsOfScreen } from '../../src/cli/output.js';

it('takes a terminal of 0 columns, or of none, as one of 80', () => {
  expect([{ columns: 0 }, {}, { columns: 40 }].map(columnsOfScreen)).toEqual([80, 80, 40]);
});

it('breaks what a chat prints between words, the second column of a line below itself', () => {
  expect(broken('/help  one two three four\n  first second third', 16)).toBe(
    '/help  one two\n       three\n       four\n  first second\n  third',
  );
  expect(broken('/help  one two three four', undefined)).toBe('/help  one two three four');
});
