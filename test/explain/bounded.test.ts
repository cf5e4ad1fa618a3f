import { expect, it } from 'vitest';
import { bounded } from '../../src/explain/bounded.js';

const long = 'x'.repeat(500);

it('keeps every step, and what is said of it whole', () => {
  const steps = Array.from({ length: 255 }, (_, at) => ({
    path: `${long}/${at}`,
    fault: { code: 'shell.exit', message: long, hint: long },
    files: Array.from({ length: 300 }, (_, file) => ({ path: `${long}${file}`, type: 'added' })),
    differences: [{ place: [long, 1], now: 1 }],
  }));
  expect(bounded({ runs: [long, long], steps })).toEqual({ runs: [long, long], steps });
});

it('cuts values, and says of how much', () => {
  const list = Array.from({ length: 203 }, (_, at) => at);
  const cut = [...list.slice(0, 200), { more: 3 }];
  expect(bounded({ before: { a: long, list }, now: list, reads: [{ expression: long, value: long }] })).toEqual({
    before: { a: `${'x'.repeat(200)}…`, list: cut },
    now: cut,
    reads: [{ expression: long, value: `${'x'.repeat(200)}…` }],
  });
});

it('cuts what differs in an output, a result or a text', () => {
  const found = Array.from({ length: 201 }, () => ({ place: [], before: long, now: 2 }));
  const lines = Array.from({ length: 201 }, (_, at) => ({ line: at, type: 'added', text: long }));
  const document = bounded({ output: { summary: long, differences: found }, result: found, given: [{ lines }] });
  expect(document).toMatchObject({ output: { summary: long } });
  const { output, result, given } = document as {
    output: { differences: unknown[] };
    result: unknown[];
    given: { lines: unknown[] }[];
  };
  for (const list of [output.differences, result, given[0]?.lines]) expect(list?.at(-1)).toEqual({ more: 1 });
  expect(result[0]).toEqual({ place: [], before: `${'x'.repeat(200)}…`, now: 2 });
  expect(given[0]?.lines[0]).toEqual({ line: 0, type: 'added', text: `${'x'.repeat(200)}…` });
});

it('never cuts a character in two', () => {
  const { now } = bounded({ now: `x${'😀'.repeat(200)}` }) as { now: string };
  expect(now).not.toMatch(/\p{Cs}/u);
});
