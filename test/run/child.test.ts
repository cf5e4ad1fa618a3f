import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { project } from '../support/project.js';

const SKILL = (name: string) => `---\nname: ${name}\ndescription: d\n---\nDo it.\n`;

/** A project whose pipeline runs the skill `inner`. */
const nested = (outer: string, inner: string, more: Record<string, string | Json> = {}) =>
  project({
    'pipeline.yaml': `version: 1\nname: outer\n${outer}`,
    'skills/inner/SKILL.md': SKILL('inner'),
    'skills/inner/pipeline.yaml': `version: 1\nname: inner\n${inner}`,
    ...more,
  });

const CALL = `steps:
  - id: draft
    pipeline: { skill: inner, query: 'about \${{ query }}', inputs: { n: 3 } }
result: \${{ steps.draft.output }}
`;
const INNER = `inputs: { n: { type: integer }, tone: { type: string, default: plain } }
steps:
  - id: write
    shell:
      run: |
        mkdir -p sub && printf '%s' "$PIPELINE_QUERY" > sub/text.txt
        printf '{"dir": "%s", "skill": "%s", "inputs": %s}' "$PIPELINE_RUN_DIR" "$PIPELINE_SKILL_DIR" "$(cat "$PIPELINE_INPUTS")"
    output: { type: object }
  - id: count
    set: { n: '\${{ inputs.n + 1 }}', tone: '\${{ inputs.tone }}', dir: '\${{ run.dir }}' }
    save: facts.json
result: { seen: '\${{ steps.write.output }}', n: '\${{ steps.count.output.n }}', tone: '\${{ steps.count.output.tone }}' }
`;

describe('a pipeline as a step', () => {
  it('runs with its own query, inputs and folders, and publishes below the id of its step', async () => {
    const ran = await nested(CALL, INNER).run();
    const own = join(ran.dir, 'draft');
    expect(ran.result).toMatchObject({
      n: 4,
      tone: 'plain',
      seen: { dir: own, inputs: { query: 'about a query', n: 3, tone: 'plain' } },
    });
    expect(ran.files()).toEqual(['draft/facts.json', 'draft/sub/text.txt']);
    expect(ran.file('draft/sub/text.txt')).toBe('about a query');
    expect(ran.paths('step_done')).toEqual(['draft/write', 'draft/count', 'draft']);
  });

  it('is reused step by step, and runs again only what its own changes concern', async () => {
    const it = nested(CALL, INNER);
    await it.run();
    const same = await it.run({ resume: true });
    expect(same.paths('step_reused')).toEqual(['draft/write', 'draft/count']);
    it.write('pipeline.yaml', `version: 1\nname: outer\n${CALL.replace('n: 3', 'n: 4')}`);
    const again = await it.run({ resume: { dir: same.dir } });
    expect(again.result).toMatchObject({ n: 5 });
  });

  it('gives its summary and its files where it declares no result', async () => {
    const inner = `steps:\n  - id: a\n    set: { x: 1 }\n    save: x.json\n`;
    const outer = `steps:\n  - id: draft\n    pipeline: { skill: inner }\nresult: \${{ steps.draft.output }}\n`;
    expect((await nested(outer, inner).run()).result).toEqual({ summary: '1 step: 1 done', files: ['draft/x.json'] });
    const ended = `${inner}  - id: stop\n    end: { outcome: early, status: done, message: enough }\n`;
    expect((await nested(outer, ended).run()).result).toEqual({ summary: 'enough', files: ['draft/x.json'] });
  });

  it('may be a bare SKILL.md: an agent whose answer is the output', async () => {
    const outer = `steps:\n  - id: draft\n    pipeline: { skill: bare }\nresult: \${{ steps.draft.output.summary }}\n`;
    const ran = await nested(outer, INNER, { 'skills/bare/SKILL.md': SKILL('bare') }).run();
    expect(ran.status).toBe('done');
    expect(typeof ran.result).toBe('string');
    expect(ran.files()).toEqual(['draft/allinone.md']);
  });

  it('fails its step with the name of its end when it ends as refused or failed, and the run goes on where that is wanted', async () => {
    const inner = `steps:\n  - id: stop\n    end: { outcome: too_vague, status: refused, message: say more }\n`;
    const outer = `steps:
  - id: draft
    pipeline: { skill: inner }
    on_error: continue
  - id: after
    set: { code: '\${{ default(steps.draft.error.code, "") }}' }
result: \${{ steps.after.output.code }}
`;
    const ran = await nested(outer, inner).run();
    expect(ran).toMatchObject({ status: 'partial', exit: 8, result: 'too_vague' });
    const strict = await nested(outer.replace('    on_error: continue\n', ''), inner).run();
    expect(strict).toMatchObject({ status: 'failed', exit: 1 });
    expect(strict.message).toContain('say more');
  });

  it('has what its parent has left of tokens and time, and no permission that its parent has not', async () => {
    const inner = `limits: { tokens: 10 }
permissions: { env: [SECRET_ONE, SHARED], network: true }
steps:
  - id: look
    shell: { run: 'echo "\${SECRET_ONE-none} \${SHARED-none}"' }
  - id: ask
    needs: [look]
    agent: { prompt: hello }
    output: { type: object, properties: { x: { type: string } } }
result: \${{ steps.look.output }}
`;
    const outer = `permissions: { env: [SHARED] }\nsteps:\n  - id: draft\n    pipeline: { skill: inner }\n`;
    const ran = await nested(outer, inner).run({
      env: { PATH: process.env.PATH, SECRET_ONE: 'one', SHARED: 'two' },
    });
    expect(ran).toMatchObject({ status: 'limit', exit: 6 });
    expect(ran.events.find((event) => event.type === 'step_done')).toMatchObject({ output: 'none two' });
  });

  it('stands in loops, with a folder of its own for each item', async () => {
    const outer = `steps:
  - id: each
    foreach: [1, 2]
    pipeline: { skill: inner, inputs: { n: '\${{ item }}' } }
result: '\${{ steps.each.output.map(o, o.n) }}'
`;
    const ran = await nested(outer, INNER).run();
    expect(ran.result).toEqual([2, 3]);
    expect(ran.files()).toEqual([
      'each/0/each/facts.json',
      'each/0/each/sub/text.txt',
      'each/1/each/facts.json',
      'each/1/each/sub/text.txt',
    ]);
  });

  it('is given a file only if its parent may read that file', async () => {
    const inner = `inputs: { doc: { type: string, format: path } }
steps:\n  - id: a\n    shell: { command: [cat, '\${{ inputs.doc }}'] }\nresult: \${{ steps.a.output }}\n`;
    const outer = (path: string) => `steps:
  - id: make
    shell: { run: 'echo hello > doc.txt' }
  - id: draft
    pipeline: { skill: inner, inputs: { doc: '${path}' } }
    needs: [make]
result: \${{ steps.draft.output }}
`;
    expect((await nested(outer('doc.txt'), inner).run()).result).toBe('hello');
    const outside = await nested(outer('/etc/passwd'), inner).run();
    expect(outside.message).toContain('may not be read by this pipeline');
  });
});

describe('the check', () => {
  const problems = async (outer: string, inner: string, more: Record<string, string> = {}) =>
    (await nested(outer, inner, more).refused()).problems.map(
      ({ rule, at, message }) => `${rule} ${at.file.split('/').at(-1)}:${at.line}:${at.column} ${message}`,
    );

  it('knows the type of its result, and of its inputs', async () => {
    const outer = `steps:
  - id: draft
    pipeline: { skill: inner, inputs: { n: '\${{ query }}', ton: x } }
  - id: use
    set: { a: '\${{ steps.draft.output.tonee }}' }
`;
    const found = await problems(outer, INNER);
    expect(found).toHaveLength(3);
    expect(found.join('\n')).toMatch(/type pipeline.yaml:5:.*"n" must be a number/);
    expect(found.join('\n')).toMatch(/unknown-key pipeline.yaml:5:.*"ton"/);
    expect(found.join('\n')).toMatch(/type pipeline.yaml:7:.*tonee/);
  });

  it('says a missing input, a skill that is not there, mistakes inside the child, and a pipeline that runs itself', async () => {
    expect(await problems(CALL.replace(', inputs: { n: 3 }', ''), INNER)).toEqual([
      expect.stringMatching(/missing-key pipeline.yaml:5:24 The pipeline "inner" needs inputs: "n"/),
    ]);
    expect(await problems(CALL.replace('skill: inner', 'skill: iner'), INNER)).toEqual([
      expect.stringMatching(/unknown-skill pipeline.yaml:5:24 There is no skill "iner"/),
    ]);
    expect(await problems(CALL, INNER.replace('inputs.tone', 'inputs.tonne'))).toEqual([
      expect.stringMatching(/type pipeline.yaml:12:\d+ .*tonne/),
    ]);
    const self = `${INNER}`.replace(
      'steps:\n',
      'steps:\n  - id: again\n    pipeline: { skill: inner, inputs: { n: 1 } }\n',
    );
    expect(await problems(CALL, self)).toEqual([
      expect.stringMatching(/child-cycle .*would run itself without end: inner → inner/),
    ]);
  });

  it('warns when the child asks for more than its parent may give', async () => {
    const it = nested(CALL, `permissions: { env: [HOME] }\n${INNER}`);
    const warned: string[] = [];
    await it.run({ onStart: ({ warnings }) => warned.push(...warnings.map(({ message }) => message)) });
    expect(warned).toEqual(['"inner" asks for env HOME, which this pipeline has not.']);
  });
});

it('goes on inside a child after the run was stopped', async () => {
  const inner = `steps:
  - id: a
    shell: { run: 'echo a >> "$PIPELINE_SKILL_DIR/log"' }
  - id: b
    shell: { run: 'echo b >> "$PIPELINE_SKILL_DIR/log"; test -f "$PIPELINE_SKILL_DIR/go"' }
`;
  const outer = `steps:\n  - id: draft\n    pipeline: { skill: inner }\n`;
  const it = nested(outer, inner);
  expect((await it.run()).status).toBe('failed');
  mkdirSync(join(it.dir, 'skills/inner'), { recursive: true });
  writeFileSync(join(it.dir, 'skills/inner/go'), '');
  expect((await it.run({ resume: true })).status).toBe('done');
  expect(it.read('skills/inner/log')).toBe('a\nb\nb\n');
});

it('has no more than its parent has, also where a link would lead further', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'pipeline-outside-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  const agent = (call: Json) => ({ 'turns.json': { turns: [{ calls: [call] }, { resolve: { t: 'x' } }] } });
  const inner = `permissions: { read: [data/link], write: [out/link] }
steps:
  - id: a
    agent: { prompt: go, tools: [read_file, write_file] }
    output: { type: object, properties: { t: { type: string } }, required: [t] }
`;
  const outer = `permissions: { read: [data], write: [out] }\nsteps:\n  - id: draft\n    pipeline: { skill: inner }\n`;
  const it = nested(outer, inner, { 'data/a.txt': 'a', 'out/b.txt': 'b' });
  symlinkSync(outside, join(it.dir, 'data/link'));
  symlinkSync(outside, join(it.dir, 'out/link'));
  for (const [name, args] of [
    ['read_file', { path: join(it.dir, 'data/link/secret.txt') }],
    ['write_file', { path: join(it.dir, 'out/link/made.txt'), content: 'x' }],
  ] as const) {
    it.write('turns.json', agent({ name, arguments: args as Json })['turns.json']);
    const ran = await it.run({ model: 'script:turns.json' });
    expect(ran.status).toBe('done');
    expect(ran.events.find((event) => event.type === 'tool' && event.name === name)).toMatchObject({ ok: false });
  }
  expect(existsSync(join(outside, 'made.txt'))).toBe(false);
});

it.each([
  ['a file that may hold secrets', 'data/.env', 'may hold secrets'],
  ['a folder', 'data', 'is not a regular file'],
  ['the folder of the run', '.', 'is not a regular file'],
  ["the run's journal", 'events.ndjson', 'may not be read by this pipeline'],
])('is not given %s', async (_, path, why) => {
  const inner = `inputs: { doc: { type: string, format: path } }
steps:\n  - id: a\n    set: { x: '\${{ inputs.doc }}' }\n`;
  const outer = `permissions: { read: [data] }
steps:
  - id: draft
    pipeline: { skill: inner, inputs: { doc: '\${{ ${path.startsWith('data') ? `project.dir + "/${path}"` : `"${path}"`} }}' } }
`;
  const ran = await nested(outer, inner, { 'data/.env': 'KEY=1' }).run();
  expect(ran.status).toBe('failed');
  expect(ran.message).toContain(why);
});

it('is a conflict with a file of its name, not a bug', async () => {
  const outer = `steps:
  - id: make
    shell: { run: 'echo x > draft' }
  - id: draft
    pipeline: { skill: inner }
`;
  const ran = await nested(outer, `steps:\n  - id: a\n    set: { x: 1 }\n`).run();
  expect(ran.fault).toMatchObject({ code: 'step.conflict' });
});
