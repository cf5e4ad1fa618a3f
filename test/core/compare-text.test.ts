import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstLine, lineChanges } from '../../src/core/compare-text.js';

const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'));

it('gives the text as it is now when its changes are made to the text as it was', () => {
  fc.assert(
    fc.property(text, text, (before, now) => {
      const changes = lineChanges(before, now);
      const gone = new Set(changes.filter(({ type }) => type === 'removed').map(({ line }) => line));
      const lines = before.split('\n').filter((_, at) => !gone.has(at + 1));
      for (const { type, line, text } of changes) if (type === 'added') lines.splice(line - 1, 0, text);
      expect(lines.join('\n')).toBe(now);
      expect(changes.length === 0).toBe(before === now);
    }),
  );
});

it('points at the line as it is now, or as it was if it is gone', () => {
  expect(firstLine(lineChanges('a\nb\nc', 'a\nx\nc'))).toBe(2);
  expect(firstLine(lineChanges('a\nb\nc', 'a\nc'))).toBe(2);
  expect(firstLine([])).toBeUndefined();
});

it('takes line ends of Windows for line ends', () => {
  expect(lineChanges('a\r\nb', 'a\nb')).toEqual([]);
});
