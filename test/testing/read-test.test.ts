import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTest } from '../../src/testing/read-test.js';

function read(text: string, others: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'read-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'tests'));
  for (const [name, content] of Object.entries(others)) writeFileSync(join(dir, 'tests', name), content);
  const file = join(dir, 'tests', 'a.test.yaml');
  writeFileSync(file, text);
  return { dir, ...readTest(file) };
}

const said = (text: string, others?: Readonly<Record<string, string>>) =>
  read(text, others).problems.map(
    ({ at, message, hint }) => `${at.line}:${at.column} ${message}${hint ? ` ${hint}` : ''}`,
  );

describe('what a simulation chose', () => {
  it('is read by its places, and needs no expectation', () => {
    const { test, problems } = read(
      `name: A
simulate: { crash.0: [14, 2], life: 1, 'rounds/0/audit@1.2!': [0, 3], audit@2~: [4], 'search/1#2': [1], 'do#1.3': [2], review?: [1] }
`,
    );
    expect(problems).toEqual([]);
    expect(test?.model).toEqual({
      type: 'simulated',
      choices: [
        { place: 'crash.0', numbers: [14, 2] },
        { place: 'life', numbers: [1] },
        { place: 'rounds/0/audit@1.2!', numbers: [0, 3] },
        { place: 'audit@2~', numbers: [4] },
        { place: 'search/1#2', numbers: [1] },
        { place: 'do#1.3', numbers: [2] },
        { place: 'review?', numbers: [1] },
      ],
    });
  });

  it('has its mistakes said with their places', () => {
    expect(
      said(`name: A
query: x
turns: { audit: { resolve: {} } }
limits: { tokens: 5 }
simulate:
  crash: [1]
  audit: [1]
  audit@1.1: [1, -1, two, 1.5]
  life: { a: 1 }
expect: { status: done }
`),
    ).toMatchInlineSnapshot(`
      [
        "3:1 "turns" and "simulate" exclude each other. A simulation chooses what models, processes and persons do.",
        "4:1 "limits" and "simulate" exclude each other. A simulation chooses what models, processes and persons do.",
        "6:3 A simulation chooses nothing at "crash". Places are such as crash.0, audit@1.2, search/0#1, review?: pipeline simulate writes them.",
        "7:3 A simulation chooses nothing at "audit". Places are such as crash.0, audit@1.2, search/0#1, review?: pipeline simulate writes them.",
        "8:18 What is chosen at "audit@1.1" must be whole numbers from 0, not the number -1.",
        "8:22 What is chosen at "audit@1.1" must be whole numbers from 0, not a text.",
        "8:27 What is chosen at "audit@1.1" must be whole numbers from 0, not the number 1.5.",
        "9:9 What is chosen at "life" must be whole numbers from 0, not a mapping.",
      ]
    `);
    expect(said('name: A\nsimulate: [1]\nexpect: { status: done }\n')).toMatchInlineSnapshot(`
      [
        "2:11 "simulate" must be a mapping of places to lists of numbers, not a list. pipeline simulate writes it.",
      ]
    `);
    expect(said('name: A\nquery: x\n')).toEqual(['1:1 The test needs "expect".']);
  });
});

describe('a test file', () => {
  it('is read whole, with every step that it names', () => {
    const { dir, test, problems } = read(
      `name: It works
query: a query
inputs: { since: 2023 }
model: sketch
turns: { audit: { resolve: { ok: true } } }
stubs: { search: [{ stdout: { hits: [] }, exit: 2 }, { stdout: x, stderr: y, files: { a.txt: b } }] }
answers: { review: approve, other: { choice: reject, comment: no } }
limits: { tokens: 1000, usd: 0.5, time: 10s }
expect:
  status: done
  outputs: { rounds/1/audit.verdict: { matches: ^a } }
  ran: { contains: [audit] }
  skipped: [search/1]
  tools: { audit: [read_file] }
`,
    );
    expect(problems).toEqual([]);
    expect(test).toMatchObject({
      name: 'It works',
      target: dir,
      model: { type: 'turns', rest: 'sketch', turns: [{ pattern: 'audit', turns: [{ resolve: { ok: true } }] }] },
      stubs: [
        {
          pattern: 'search',
          stubs: [
            { exit: 2, stderr: '' },
            { stdout: 'x', files: { 'a.txt': 'b' } },
          ],
        },
      ],
      answers: [
        { choice: 'approve', comment: '' },
        { choice: 'reject', comment: 'no' },
      ],
      limits: { tokens: 1000, usd: 0.5, timeMs: 10_000 },
      expect: {
        outputs: [{ pattern: 'rounds/1/audit', place: ['verdict'], value: { matches: '^a' } }],
        ran: { exactly: false },
        skipped: { exactly: true, patterns: ['search/1'] },
      },
    });
    expect(test?.steps.map(({ pattern }) => pattern).sort()).toEqual(
      ['audit', 'audit', 'audit', 'other', 'review', 'rounds/1/audit', 'search', 'search/1'].sort(),
    );
  });

  it('takes turns and stubs from a file beside it', () => {
    const { test, problems } = read('name: n\nturns: t.yaml\nstubs: s.json\nexpect: { status: done }\n', {
      't.yaml': 'a:\n  - text: hi\n',
      's.json': '{"b": {"stdout": 1}}',
    });
    expect(problems).toEqual([]);
    expect(test).toMatchObject({ model: { turns: [{ pattern: 'a' }] }, stubs: [{ stubs: [{ stdout: 1 }] }] });
  });

  it.each<[string, string[]]>([
    ['name: n\nexpct: { status: done }\n', ['2:1 A test has no key "expct". Did you mean "expect"?']],
    ['query: q\n', ['1:1 The test needs "name".', '1:1 The test needs "expect".']],
    ['', ['1:1 The test is empty.']],
    ['name: n\nexpect: {}\n', ['2:1 "expect" expects nothing. Write status: done.']],
    ['name: n\nexpect: { statos: done }\n', ['2:11 "expect" has no key "statos". Did you mean "status"?']],
    [
      'name: n\nexpect: { status: dnoe }\n',
      [expect.stringMatching(/^2:19 .*Did you mean "done"\?$/)] as unknown as string[],
    ],
    [
      'name: n\nmodel: openai/gpt-5-mini\nexpect: { status: done }\n',
      [expect.stringMatching(/^2:8 A test asks no real model/)] as unknown as string[],
    ],
    [
      'name: n\nexpect: { outputs: { Audit: 1 } }\n',
      [expect.stringMatching(/^2:22 "Audit" names no step\./)] as unknown as string[],
    ],
    [
      'name: n\nexpect: { message: "/(/" }\n',
      [expect.stringMatching(/^2:20 This is no regular expression/)] as unknown as string[],
    ],
    [
      'name: n\nstubs: { a: { stdot: x, files: { ../b: y } } }\nexpect: { status: done }\n',
      ['2:15 A stub has no key "stdot". Did you mean "stdout"?', '2:34 "../b" is no path in the work folder.'],
    ],
    [
      'name: n\nstubs: { a: { files: { a: a, a/b: c, x/: y, ./: z, ./a: d } } }\nexpect: { status: done }\n',
      [
        '2:30 "a" is a file, so there can be no "a/b" in it.',
        '2:38 "x/" names a folder: a stub leaves files.',
        '2:45 "./" names a folder: a stub leaves files.',
        '2:52 "./a" and "a" are the same file.',
        '2:52 "./a" is no file: "a/b" is in it.',
      ],
    ],
    ['name: n\nexpect: { files: [a.md, ../b] }\n', ['2:25 "../b" is no path in the run folder.']],
    [
      'name: n\nexpect: { files: { /etc/passwd: x, a/../b: y, c..d: z } }\n',
      ['2:20 "/etc/passwd" is no path in the run folder.', '2:36 "a/../b" is no path in the run folder.'],
    ],
    [
      'name: n\nturns: { a: [{ txt: hi }] }\nexpect: { status: done }\n',
      ['2:16 A turn has no key "txt". Did you mean "text"?'],
    ],
    [
      'name: n\ncassette: tape\nexpect: { status: done }\n',
      [expect.stringMatching(/^2:11 There is no cassette in .*tape\. Record one/)] as unknown as string[],
    ],
  ])('%j is refused, with the place and what to do', (text, problems) => {
    expect(said(text)).toEqual(problems);
  });

  it('says a mistake in a file that it names with that file', () => {
    const { problems } = read('name: n\nturns: t.yaml\nexpect: { status: done }\n', { 't.yaml': 'a:\n  - txt: hi\n' });
    expect(problems.map(({ at }) => [at.file.split('/').at(-1), at.line, at.column])).toEqual([['t.yaml', 2, 5]]);
  });
});
