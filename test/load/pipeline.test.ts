import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasErrors, type Problem } from '../../src/core/problems.js';
import { problemsText } from '../../src/load/report.js';
import { FIXTURES, folder, KINDS, load, loadText, places } from './arena.js';

const BAD = path.join(FIXTURES, 'bad');
const bad = readdirSync(BAD).filter((name) => !name.startsWith('.'));
const loadBad = (name: string) => load(path.join(BAD, name, 'pipeline.yaml'), path.join(BAD, name));

describe('mistakes', () => {
  it.each(bad)('%s is said in these words at this place', async (name) => {
    const { problems } = await loadBad(name);
    const expected = readFileSync(path.join(BAD, name, 'expected.txt'), 'utf8');
    expect(`${problemsText(problems, { cwd: path.join(BAD, name) })}\n`).toBe(expected);
  });

  it('of every rule have a fixture named after it', async () => {
    const said = new Set<string>();
    for (const name of bad) for (const { rule } of (await loadBad(name)).problems) said.add(rule);
    expect([...said].filter((rule) => !bad.includes(rule))).toEqual([]);
  });

  it('are the same ten, alone or together', async () => {
    const text = readFileSync(path.join(BAD, 'ten-mistakes/pipeline.yaml'), 'utf8');
    const steps = text.slice(text.indexOf('  - id')).split(/(?=^ {2}- id)/m);
    expect(steps).toHaveLength(10);
    const alone: string[] = [];
    let line = 2;
    for (const step of steps) {
      const { problems } = await loadText(`name: bad\nsteps:\n${step}`);
      alone.push(...problems.map((problem) => `${problem.at.line + line - 2}:${problem.at.column} ${problem.message}`));
      line += step.split('\n').length - 1;
    }
    const { problems: together } = await loadBad('ten-mistakes');
    expect(together).toHaveLength(10);
    expect(together.map(({ at, message }) => `${at.line}:${at.column} ${message}`)).toEqual(alone);
  });

  it('with one right answer carry the edit that mends them', async () => {
    const dir = path.join(BAD, 'unknown-key-alias');
    const { problems } = await loadBad('unknown-key-alias');
    const text = readFileSync(path.join(dir, 'pipeline.yaml'), 'utf8');
    const mended = applied(text, problems).replace('    cmd: echo hello', '    shell: { run: echo hello }');
    expect(places((await loadText(mended)).problems)).toEqual([]);
  });

  it.each(bad)('%s: no edit makes more mistakes than it mends', async (name) => {
    const { problems } = await loadBad(name);
    const file = path.join(BAD, name, 'pipeline.yaml');
    const own = problems.filter(({ edit, at }) => edit && at.file === file);
    if (own.length === 0) return;
    const { problems: after } = await loadText(applied(readFileSync(file, 'utf8'), own), filesBeside(file));
    expect(after.length).toBeLessThan(problems.length);
  });
});

/** The other files of a folder, by their paths in it. */
function filesBeside(file: string): Record<string, string> {
  const dir = path.dirname(file);
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const others = files.filter((each) => each !== file);
  return Object.fromEntries(others.map((each) => [path.relative(dir, each), readFileSync(each, 'utf8')]));
}

function applied(text: string, problems: readonly Problem[]): string {
  const edits = problems.flatMap(({ edit }) => edit ?? []).sort((a, b) => b.start - a.start);
  return edits.reduce((all, { start, end, text: put }) => all.slice(0, start) + put + all.slice(end), text);
}

describe('a plan', () => {
  it('has every default filled in', async () => {
    const { plan } = await loadText('steps:\n  - id: a\n    shell: { run: echo hello }\n');
    expect(plan).toMatchObject({
      name: 'one',
      limits: { tokens: 2_000_000, timeMs: 7_200_000, maxParallel: 4 },
      permissions: { read: [], write: [], env: [], network: false },
      onFailure: 'continue',
      acceptPartial: false,
      inputs: { type: 'object', properties: {}, required: [], additionalProperties: false },
      steps: [
        {
          id: 'a',
          title: 'a',
          after: [],
          timeoutMs: 600_000,
          retry: { attempts: 1 },
          onError: 'fail',
          effect: 'repeatable',
          cache: true,
        },
      ],
    });
  });

  it('has what is written', async () => {
    const { plan, problems } = await loadText(`version: 1
name: all
limits: { tokens: 10, usd: 3.00, time: 1h30m, max_parallel: 2 }
permissions: { read: [data], env: [MY_VAR], network: true }
on_failure: stop
accept_partial: true
inputs: { since: { type: integer, default: 2021 }, area: { type: string } }
steps:
  - id: a
    title: First
    foreach: [1, 2, 3]
    max_parallel: 2
    min_success: 90%
    repeat: { until: output == "x", max: 3, on_max: accept }
    timeout: 500ms
    idle_timeout: 2s
    retry: { attempts: 3, backoff: 2s }
    limits: { tokens: 5, usd: 1, time: 1m }
    on_error: continue
    effect: once
    cache: false
    artifacts: ["*.md"]
    save: { "a.txt": "\${{ output }}", "b/\${{ index }}.txt": "\${{ item }}" }
    assert: [{ that: output != "", message: "Say something, not \${{ output }}" }]
    shell: { run: echo hello }
`);
    expect(problems).toEqual([]);
    expect(plan).toMatchObject({
      limits: { tokens: 10, usd: 3, timeMs: 5_400_000, maxParallel: 2 },
      permissions: { env: ['MY_VAR'], network: true },
      onFailure: 'stop',
      acceptPartial: true,
      inputs: { required: ['area'] },
      steps: [
        {
          title: 'First',
          foreach: { maxItems: 3, maxParallel: 2, minSuccess: { share: 0.9 } },
          repeat: { max: 3, onMax: 'accept' },
          timeoutMs: 500,
          idleTimeoutMs: 2_000,
          retry: { attempts: 3, backoffMs: 2_000 },
          limits: { tokens: 5, usd: 1, timeMs: 60_000 },
          onError: 'continue',
          effect: 'once',
          cache: false,
          artifacts: ['*.md'],
          save: [{}, {}],
          assert: [{}],
        },
      ],
    });
    expect(plan?.permissions.read[0]).toMatch(/^\/.*\/data$/);
  });

  it('holds the text of the files that its config names', async () => {
    const { plan } = await loadText(
      'steps:\n  - id: a\n    agent: { instructions: who.md, prompt: ask.md }\n    output: { type: string }\n',
      { 'who.md': 'You are ${{ literal }}.', 'ask.md': 'About ${{ query }}' },
    );
    const body = plan?.steps[0]?.body;
    expect(body?.type === 'leaf' && body.config).toMatchObject({
      type: 'map',
      entries: [
        ['instructions', { type: 'literal', value: 'You are ${{ literal }}.' }],
        ['prompt', { type: 'text', parts: ['About ', { source: 'query' }] }],
      ],
    });
  });

  it('is made of a kind that is passed in', async () => {
    const [, shell] = KINDS;
    if (!shell) throw new Error('no shell');
    const wait = {
      ...shell,
      name: 'wait',
      schema: { type: 'object', properties: { hours: { type: 'integer' } }, additionalProperties: false },
      verbatim: [],
      inspect: () => ({ files: [], tools: [], models: [], maxCalls: 0, startsProcess: false }),
    };
    const kinds = [...KINDS, wait];
    expect((await loadText('steps:\n  - id: a\n    wait: { hours: 2 }\n', {}, { kinds })).problems).toEqual([]);
    expect(places((await loadText('steps:\n  - id: a\n    wait: { hour: 2 }\n', {}, { kinds })).problems)).toEqual([
      'unknown-key 3:13',
    ]);
  });

  it('warns of an environment variable that is not set', async () => {
    const text = 'permissions: { env: [MY_VAR] }\nsteps:\n  - id: a\n    shell: { run: echo hello }\n';
    expect(places((await loadText(text, {}, { env: {} })).problems)).toEqual(['env-unset 1:22']);
    expect((await loadText(text, {}, { env: { MY_VAR: 'x' } })).problems).toEqual([]);
  });

  it('warns of none that the author marks as one to go without, and grants it by its name', async () => {
    const text = 'permissions: { env: ["MY_VAR?", OTHER] }\nsteps:\n  - id: a\n    shell: { run: echo hello }\n';
    const { plan, problems } = await loadText(text, {}, { env: { OTHER: '' } });
    expect(problems).toEqual([]);
    expect(plan?.permissions.env).toEqual(['MY_VAR', 'OTHER']);
    const wrong = 'permissions: { env: ["MY-VAR?", "OPENAI_API_KEY?"] }\nsteps:\n  - id: a\n    shell: { run: echo }\n';
    expect(places((await loadText(wrong, {}, { env: {} })).problems)).toEqual(['env-name 1:22', 'env-secret 1:33']);
  });
});

describe('max_items', () => {
  const loop = (over: string) => `inputs:
  names: { type: array, items: { type: string }, maxItems: 7 }
steps:
  - id: a
    output: { type: object, properties: { list: { type: array, maxItems: 5, items: { type: string } } }, required: [list] }
    shell: { run: cat a.json }
  - id: b
    foreach: ${over}
    shell: { command: [echo, "\${{ item }}"] }
    output: { type: object, properties: { parts: { type: array, maxItems: 3 } }, required: [parts] }
`;
  it.each([
    ['steps.a.output.list', 5],
    ['steps.a.output.list.filter(x, x != "")', 5],
    ['inputs.names', 7],
    ['steps.a.output.list + inputs.names', 12],
    ['"[1, 2]"', 2],
    ['[x, y]', 2],
  ])('of %s is %i', async (over, expected) => {
    const { plan, problems } = await loadText(loop(over));
    expect(problems).toEqual([]);
    expect(plan?.steps[1]?.foreach?.maxItems).toBe(expected);
  });

  it.each([
    ['steps.b.output', 5],
    ['steps.b.failures', 5],
    ['steps.b.output.filter(x, x.parts.size() > 0) + inputs.names.map(x, {"parts": [x]})', 12],
    ['steps.b.output[0].parts', 3],
  ])('of %s, after a loop, is %i', async (over, expected) => {
    const after = `  - id: c\n    foreach: '${over}'\n    set: { v: "\${{ item }}" }\n`;
    const { plan, problems } = await loadText(loop('steps.a.output.list') + after);
    expect(problems).toEqual([]);
    expect(plan?.steps[2]?.foreach?.maxItems).toBe(expected);
  });

  it.each([
    ['a loop over itself', '  - id: x\n    foreach: steps.x.output\n    set: { v: 1 }\n'],
    [
      'loops over each other',
      '  - id: x\n    foreach: steps.y.output\n    set: { v: 1 }\n  - id: y\n    foreach: steps.x.output\n    set: { v: 1 }\n',
    ],
  ])('of %s is not known', async (_, steps) => {
    expect(places((await loadText(`steps:\n${steps}`)).problems).length).toBeGreaterThan(0);
  });
});

describe('order', () => {
  const orderOf = async (steps: string) => {
    const { plan, problems } = await loadText(`steps:\n${steps}`);
    expect(problems).toEqual([]);
    return Object.fromEntries((plan?.steps ?? []).map((step) => [step.id, step.after]));
  };
  const run = 'shell: { run: echo hello }';

  it('is that of the file without needs', async () => {
    expect(await orderOf(`  - id: a\n    ${run}\n  - id: b\n    ${run}\n  - id: c\n    ${run}\n`)).toEqual({
      a: [],
      b: ['a'],
      c: ['b'],
    });
  });

  it('is what needs say, and references add themselves', async () => {
    const steps = `  - id: a\n    ${run}\n  - id: b\n    needs: []\n    ${run}\n  - id: c\n    needs: [b]\n    shell: { command: [echo, "\${{ steps.a.output }}"] }\n`;
    expect(await orderOf(steps)).toEqual({ a: [], b: [], c: ['a', 'b'] });
  });

  it('makes a reference from inside of a group a need of the group', async () => {
    const steps = `  - id: a\n    ${run}\n  - id: b\n    needs: []\n    ${run}\n  - id: g\n    needs: []\n    steps:\n      - id: inner\n        shell: { command: [echo, "\${{ steps.a.output }}"] }\n`;
    expect(await orderOf(steps)).toEqual({ a: [], b: [], g: ['a'] });
  });

  it('has every later step wait for an end', async () => {
    const steps = `  - id: a\n    ${run}\n  - id: stop\n    when: steps.a.output == ""\n    end: { outcome: none, status: refused }\n  - id: b\n    needs: []\n    ${run}\n  - id: c\n    needs: [a]\n    ${run}\n`;
    expect(await orderOf(steps)).toEqual({ a: [], stop: ['a'], b: ['stop'], c: ['a', 'stop'] });
  });
});

describe('hostile files', () => {
  it('ids like constructor are ordinary', async () => {
    const text =
      'steps:\n  - id: constructor\n    shell: { run: echo hello }\n  - id: b\n    shell: { command: [echo, "${{ steps.constructor.output }}"] }\n';
    expect((await loadText(text)).problems).toEqual([]);
    expect(places((await loadText('steps:\n  - id: __proto__\n    shell: { run: echo hello }\n')).problems)).toEqual([
      'bad-id 2:9',
    ]);
    expect(places((await loadText('steps:\n  - id: a\n    __proto__: { run: x }\n')).problems)).toContain(
      'unknown-key 3:5',
    );
  });

  it('prompt files do not leave the folder', async () => {
    const dir = folder({
      'secret.md': 'key',
      'skills/one/pipeline.yaml':
        'steps:\n  - id: a\n    agent: { prompt: ../../secret.md }\n    output: { type: string }\n',
    });
    const { problems } = await load('one', dir);
    expect(problems[0]?.message).toContain('outside');
  });

  it('never make the loader throw', async () => {
    const piece = fc.constantFrom(
      'steps:\n',
      '  - id: a\n',
      '    shell: { run: x }\n',
      '    shell:\n',
      '      run: x\n',
      '    when: ',
      'steps.a.output',
      '${{ ',
      ' }}',
      '\n',
      '  - id: b\n',
      '    steps:\n',
      '      - id: c\n',
      '        set: { x: 1 }\n',
      '    needs: [a, b]\n',
      '    foreach: [1]\n',
      '    repeat: { until: output, max: 2 }\n',
      '    output: { type: object }\n',
      'inputs: { a: { type: string } }\n',
      'result: ',
      '    agent: { prompt: p }\n',
      '    end: { outcome: x, status: done }\n',
      '    save: x.md\n',
      '    retry: 3\n',
      ': ',
      '- ',
      '!',
      '"',
      '&a ',
      '*a ',
      '{',
      '}',
      '[',
      ']',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 25 }).map((all) => `steps:\n${all.join('')}`),
      fc.string({ unit: 'binary', maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (yaml) => {
        const { plan, problems } = await loadText(yaml);
        expect(plan === undefined).toBe(hasErrors(problems));
        for (const { at } of problems) expect(at.line >= 1 && at.column >= 1).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

describe('a name that is shown', () => {
  it.each(['\\e[31mred', 'a\\nb', '\\u202Eb'])('holds no control character: %s', async (text) => {
    const { problems } = await loadText(
      `name: "${text}"\nsteps:\n  - id: a\n    title: "${text}"\n    set: { n: 1 }\n`,
    );
    expect(places(problems)).toEqual(['not-allowed 1:7', 'not-allowed 4:12']);
    expect(problems[0]?.message).toMatch(/"name" .* U\+[0-9A-F]{4}\.$/);
  });

  it('may be a block of one line', async () => {
    const { plan, problems } = await loadText('name: |\n  One name\nsteps:\n  - { id: a, set: { n: 1 } }\n');
    expect(problems).toEqual([]);
    expect(plan?.name).toBe('One name');
  });
});

describe('a key by another name', () => {
  it('beside the key itself is not said to be called so', async () => {
    const { problems } = await loadText(
      'limits: { tokens: 100 }\nlimit: { usd: 1 }\nsteps:\n  - { id: a, set: { n: 1 } }\n',
    );
    expect(problems).toMatchObject([
      { rule: 'unknown-key', hint: expect.stringMatching(/^"limits" is there already/) },
    ]);
  });
});

it('of an agent whose text file is missing says its other mistakes as well', async () => {
  const { problems } = await loadText(`name: x
steps:
  - id: a
    agent: { instructions: gone.md, prompt: p, tools: [no_such_tool], model: Bad Role }
    output: { type: object }
`);
  expect(problems.map(({ rule }) => rule)).toEqual(
    expect.arrayContaining(['text-file', 'agent-config', 'unknown-model']),
  );
});
