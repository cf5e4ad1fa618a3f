import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const count = (id: string) => `echo ${id} >> "$PIPELINE_PROJECT_DIR/log"`;

const CHAIN = (prompt: string) => ({
  'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    shell: { run: '${count('a')}; echo one > a.txt; echo alpha' }
  - id: b
    shell: { run: '${count('b')}; test ! -e "$PIPELINE_PROJECT_DIR/fail"; cat; echo "$EXTRA" >&2', stdin: '\${{ steps.a.output }}', env: { EXTRA: '${prompt}' } }
  - id: c
    needs: []
    shell: { command: [bash, -c, '${count('c')}; echo "$1" > c.txt', _, '\${{ steps.b.output }}'] }
result: '\${{ steps.b.output }}'
`,
});

it('reuses everything of a finished run, and says so', async () => {
  const it = project(CHAIN('x'));
  const first = await it.run();
  const again = await it.run({ resume: true });
  expect(again).toMatchObject({
    status: 'done',
    dir: first.dir,
    result: 'alpha',
    census: { asked: 3, done: 3, reused: 3 },
  });
  expect(again.paths('step_reused')).toEqual(['a', 'b', 'c']);
  expect(it.read('log')).toBe('a\nb\nc\n');
});

it('starts a new run without --resume, and says that the name was taken', async () => {
  const it = project(CHAIN('x'));
  const first = await it.run();
  const second = await it.run();
  expect(second.dir).toBe(`${first.dir}-2`);
  expect(second.events.some((event) => event.type === 'notice' && event.text.includes('exists already'))).toBe(true);
});

it('runs again what changed, and reuses a dependent whose inputs came out equal', async () => {
  const it = project(CHAIN('x'));
  await it.run();
  it.write('pipeline.yaml', CHAIN('y')['pipeline.yaml']);
  const again = await it.run({ resume: true });
  expect(again.paths('step_reused')).toEqual(['a', 'c']);
  expect(it.read('log')).toBe('a\nb\nc\nb\n');
});

it('runs nothing again when only a comment, a title or a timeout changed', async () => {
  const it = project(CHAIN('x'));
  await it.run();
  it.write(
    'pipeline.yaml',
    CHAIN('x')['pipeline.yaml'].replace('  - id: b\n', '  # a comment\n  - id: b\n    title: Bee\n    timeout: 3m\n'),
  );
  const again = await it.run({ resume: true });
  expect(again.census.reused).toBe(3);
});

it('goes on with the failed step, and never takes its half-made files for a result', async () => {
  const it = project(CHAIN('x'));
  it.write('fail', '');
  const failed = await it.run();
  expect(failed).toMatchObject({ status: 'failed', exit: 1 });
  rmSync(join(it.dir, 'fail'));
  const again = await it.run({ resume: true });
  expect(again).toMatchObject({ status: 'done', census: { done: 3, reused: 1 } });
  expect(it.read('log')).toBe('a\nb\nb\nc\n');
});

it('puts a published file back that was changed or removed', async () => {
  const it = project(CHAIN('x'));
  const first = await it.run();
  writeFileSync(join(first.dir, 'a.txt'), 'tampered');
  rmSync(join(first.dir, 'c.txt'));
  const again = await it.run({ resume: true });
  expect(again.census.reused).toBe(3);
  expect(again.file('a.txt')).toBe('one\n');
  expect(again.file('c.txt')).toBe('alpha\n');
});

it('takes away a file that a changed step does not write any more', async () => {
  const it = project(CHAIN('x'));
  await it.run();
  it.write('pipeline.yaml', CHAIN('x')['pipeline.yaml'].replace('echo one > a.txt; ', ''));
  const again = await it.run({ resume: true });
  expect(again.files()).toEqual(['c.txt']);
});

const LOOP = (items: string) => ({
  'pipeline.yaml': `version: 1
name: t
steps:
  - id: each
    foreach: [${items}]
    shell: { run: 'echo "$X" >> "$PIPELINE_PROJECT_DIR/log"; echo "$X" > out.txt; echo "$X"', env: { X: '\${{ item }}' } }
result: '\${{ steps.each.output }}'
`,
});

it('keys the items of a loop by their value: an inserted one reuses the others, files and all', async () => {
  const it = project(LOOP('a, b'));
  await it.run();
  it.write('pipeline.yaml', LOOP('a, new, b')['pipeline.yaml']);
  const again = await it.run({ resume: true });
  expect(again).toMatchObject({ result: ['a', 'new', 'b'], census: { done: 3, reused: 2 } });
  expect(it.read('log').split('\n').slice(0, 2).sort()).toEqual(['a', 'b']);
  expect(it.read('log').split('\n').slice(2)).toEqual(['new', '']);
  expect([0, 1, 2].map((at) => again.file(`each/${at}/out.txt`))).toEqual(['a\n', 'new\n', 'b\n']);
  it.write('pipeline.yaml', LOOP('b')['pipeline.yaml']);
  const less = await it.run({ resume: true });
  expect(less).toMatchObject({ result: ['b'], census: { done: 1, reused: 1 } });
  expect(less.files()).toEqual(['each/0/out.txt']);
});

it('runs a step again when a file that its tools read has changed, and only then', async () => {
  const it = project({
    'skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\nbody',
    'skills/s/facts.txt': 'one',
    'skills/s/pipeline.yaml': `version: 1
name: s
steps:
  - id: a
    agent: { prompt: Read facts.txt, tools: [read_file] }
    output: { type: object, properties: { x: { type: string } }, required: [x] }
`,
    'turns.json': [
      { calls: [{ name: 'read_file', arguments: { path: 'facts.txt' } }] },
      { calls: [{ name: 'resolve', arguments: { x: 'y' } }] },
    ],
  });
  const request = { target: 's', model: 'script:turns.json' };
  await it.run(request);
  expect((await it.run({ ...request, resume: true })).census.reused).toBe(1);
  it.write('skills/s/facts.txt', 'two');
  expect((await it.run({ ...request, resume: true })).census.reused).toBe(0);
});

it('cuts a torn last line off the journal, says so, and goes on; damage in the middle is refused', async () => {
  const it = project(CHAIN('x'));
  const first = await it.run();
  const journal = join(first.dir, 'events.ndjson');
  appendFileSync(journal, '{"seq":99,"type":"step_do');
  const again = await it.run({ resume: true });
  expect(again.census.reused).toBe(3);
  expect(again.events.some((event) => event.type === 'notice' && event.text.includes('torn'))).toBe(true);
  const text = readFileSync(journal, 'utf8');
  writeFileSync(journal, text.replace('"alpha"', '"gamma"'));
  await expect(it.run({ resume: true })).rejects.toThrow(/damaged at line \d+/);
});

it('repeats the step whose record was lost with the end of the journal', async () => {
  const it = project(CHAIN('x'));
  const first = await it.run();
  const journal = join(first.dir, 'events.ndjson');
  const text = readFileSync(journal, 'utf8');
  truncateSync(journal, text.indexOf('{', text.indexOf('"type":"step_done","path":"a"')) - 60);
  const again = await it.run({ resume: true });
  expect(again).toMatchObject({ status: 'done', census: { done: 3 } });
  expect(again.files()).toEqual(['a.txt', 'c.txt']);
});

it('never reuses a step with cache: false', async () => {
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - id: a\n    cache: false\n    shell: { run: '${count('a')}' }\n`,
  });
  await it.run();
  await it.run({ resume: true });
  expect(it.read('log')).toBe('a\na\n');
});

it('does not replace the results of a real model by placeholders because the model is missing now', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: Hello }
    output: { type: object, properties: { x: { type: string } }, required: [x] }
result: '\${{ steps.a.output.x }}'
`,
    'turns.json': [{ calls: [{ name: 'resolve', arguments: { x: 'real' } }] }],
  });
  await it.run({ model: 'script:turns.json' });
  await expect(it.run({ model: undefined as never, resume: true })).rejects.toThrow(
    /used script:turns.json, but now only sketch/,
  );
  expect((await it.run({ model: 'script:turns.json', resume: true })).census.reused).toBe(1);
  expect((await it.run({ model: 'sketch', resume: true })).status).toBe('done');
});

it('a folder that a process left before its first fact is taken by the next run, and one that is a run never is', async () => {
  const it = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - id: a\n    set: { x: 1 }\n' });
  const dead = { pid: 2 ** 22 + 1, started: '1', boot: 'b', host: hostname(), since: 'x', nonce: '0123456789abcdef' };
  it.write('skill_run/t/a-query/.lock', JSON.stringify(dead));
  it.write('skill_run/t/a-query/events.ndjson', '{"seq":1,"at"');
  it.write('skill_run/t/a-query/.steps/x', 'left');
  const first = await it.run();
  expect(first.dir).toMatch(/a-query$/);
  expect(first.files()).toEqual([]);
  it.write('skill_run/t/a-query/.lock', JSON.stringify(dead));
  rmSync(join(first.dir, 'run.json'));
  expect((await it.run()).dir).toMatch(/a-query-2$/);
});

it('an empty folder is no run: the next one takes its name', async () => {
  const it = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - id: a\n    set: { x: 1 }\n' });
  mkdirSync(join(it.dir, 'skill_run/t/a-query'), { recursive: true });
  expect((await it.run()).dir).toMatch(/a-query$/);
});

it('a file that has the name of a run folder stays, and the run gets another name', async () => {
  const it = project({
    'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - id: a\n    set: { x: 1 }\n',
    'skill_run/t/a-query': 'mine',
  });
  expect((await it.run()).dir).toMatch(/a-query-2$/);
  expect(readFileSync(join(it.dir, 'skill_run/t/a-query'), 'utf8')).toBe('mine');
});
