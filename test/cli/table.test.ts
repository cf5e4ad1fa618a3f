import { expect, it } from 'vitest';
import { table } from '../../src/cli/table.js';
import { columnsOf } from '../../src/core/columns.js';

it('begins each column at the same place, also after wide characters, and ends no line in blanks', () => {
  const lines = table([
    ['平安夜', 'a', ''],
    ['x', '烟花☂️', 'end'],
    ['👩‍👩‍👧e\u0301', 'b', 'end'],
  ]).split('\n');
  expect(lines[0]).toBe('平安夜  a');
  const starts = lines.map((line, at) => columnsOf(line.slice(0, line.indexOf(['a', '烟', 'b'][at] as string))));
  expect(starts).toEqual([8, 8, 8]);
  expect(lines.slice(1).map((line) => columnsOf(line.slice(0, line.indexOf('end'))))).toEqual([16, 16]);
});

it('breaks the last cell between words for a terminal, and nothing elsewhere', () => {
  const rows = [
    ['one', 'a few words here'],
    ['three', 'b'],
  ];
  expect(table(rows, 18)).toBe('one    a few words\n       here\nthree  b');
  expect(table(rows)).toBe('one    a few words here\nthree  b');
});
