import { expect, it } from 'vitest';
import type { Problem } from '../../src/core/problems.js';
import { inOrder } from '../../src/load/notes.js';

const problem = (rule: string, line: number, column: number, message = rule): Problem => ({
  severity: 'error',
  rule,
  message,
  at: { file: '/a.yaml', line, column },
});

it('says each problem once, as a sentence, from top to bottom', () => {
  const found = inOrder([problem('b', 3, 1), problem('a', 1, 9), problem('b', 3, 1), problem('a', 1, 2)]);
  expect(found.map(({ at, message }) => `${at.line}:${at.column} ${message}`)).toEqual(['1:2 a.', '1:9 a.', '3:1 b.']);
});

it('does not ask for the bound of a list whose expression is wrong', () => {
  const typo = problem('type', 5, 20);
  expect(inOrder([problem('max-items', 5, 14), typo]).map(({ rule }) => rule)).toEqual(['type']);
  expect(inOrder([problem('max-items', 6, 14), typo])).toHaveLength(2);
});
