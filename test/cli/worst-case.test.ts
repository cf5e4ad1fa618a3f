import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { grouped, usdText, worstCaseText } from '../../src/cli/worst-case.js';
import { wrapped } from '../../src/cli/wrapped.js';
import { brokenAt } from '../../src/sinks/terminal/line.js';

const LIMITS = { tokens: 250_000, timeMs: 3_600_000, maxParallel: 4 };

it('says on one line what a run can come to and what stops it before', () => {
  const worst = { calls: 1_240, processes: 1, callsByModel: {}, limits: LIMITS };
  expect(worstCaseText(worst)).toBe('worst case: 1 240 model calls, 1 process; stops at 250 000 tokens or 1 h');
  expect(worstCaseText({ ...worst, processes: 0, limits: { ...LIMITS, usd: 3 } })).toBe(
    'worst case: 1 240 model calls; stops at 250 000 tokens, $3.00 or 1 h',
  );
});

it('is broken between words, and never within a number', () => {
  const line = '  stops at 100 000 tokens or 1 h, after 1 234 567 tokens of 12 calls';
  const all = Array.from({ length: 30 }, (_, at) => at + 24).flatMap((columns) => [
    ...wrapped(line, columns).split('\n'),
    ...brokenAt(line.trim(), columns),
  ]);
  for (const text of all) expect(text).not.toMatch(/\b100$|^ *(000|234|567)/);
});

it('speaks of no tokens where no model is called', () => {
  const worst = { calls: 0, processes: 0, callsByModel: {}, limits: LIMITS };
  expect(worstCaseText(worst)).toBe('worst case: no model call, no process; stops at 1 h');
});

it('sets thousands apart without changing the digits', () => {
  fc.assert(
    fc.property(fc.nat(), (count) => {
      expect(grouped(count).replaceAll(' ', '')).toBe(String(count));
      expect(grouped(count)).toMatch(/^\d{1,3}( \d{3})*$/);
    }),
  );
});

it('keeps small sums visible', () => {
  expect([0, 0.0042, 0.31, 12].map(usdText)).toEqual(['$0', '$0.0042', '$0.31', '$12.00']);
});
