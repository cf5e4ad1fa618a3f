import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const plan = (text: string, top = '') => ({ 'pipeline.yaml': `version: 1\nname: t\n${top}steps:\n${text}` });

it('stops, and does not say done, when its folder is moved away while it runs', async () => {
  const it = project(
    plan(
      `  - id: a\n    shell: { run: 'echo a > a.txt' }\n  - id: b\n    shell: { run: 'mv "$PIPELINE_RUN_DIR" "$PIPELINE_RUN_DIR-gone"' }\n  - id: c\n    set: { x: 1 }\n`,
    ),
  );
  const ran = await it.run().catch((error: Error) => error);
  expect(ran instanceof Error ? ran.message : ran.status).toMatch(/removed, moved or replaced|failed/);
});

it('knows a run by its journal when run.json is damaged', async () => {
  const it = project(plan(`  - id: a\n    shell: { run: 'echo x >> "$PIPELINE_PROJECT_DIR/log"' }\n`));
  const first = await it.run();
  for (const damaged of ['', '{{{', '[1]']) {
    writeFileSync(join(first.dir, 'run.json'), damaged);
    const again = await it.run({ resume: true });
    expect(again).toMatchObject({ dir: first.dir, census: { reused: 1 } });
  }
  expect(it.read('log')).toBe('x\n');
});

it.each([
  ['a number that cannot be held', 'echo "{\\"n\\": 1e999}"', /too large to be held/],
  ['nesting without end', 'node -p "\\"[\\".repeat(20000) + \\"]\\".repeat(20000)"', /nested deeper/],
])("refuses %s in a process's output as an ordinary fault", async (_, run, message) => {
  const it = project({
    ...plan(
      `  - id: a\n    on_error: continue\n    shell: { run: 'bash out.sh', cwd: '\${{ skill.dir }}' }\n    output: { type: [object, array] }\n`,
    ),
    'out.sh': run,
  });
  const ran = await it.run();
  expect(ran).toMatchObject({ status: 'partial', exit: 8 });
  expect(JSON.stringify(ran.events.filter((event) => event.type === 'step_failed'))).toMatch(message);
});

it('says back to a model that its arguments are nested too deeply, and goes on', async () => {
  const deep = `{"x": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const it = project({
    ...plan(
      `  - id: a\n    agent: { prompt: Hello }\n    output: { type: object, properties: { x: {} }, required: [x] }\nresult: '\${{ steps.a.output.x }}'\n`,
    ),
    'turns.json': [
      { calls: [{ name: 'resolve', arguments: deep }] },
      { calls: [{ name: 'resolve', arguments: { x: 1 } }] },
    ],
  });
  expect((await it.run({ model: 'script:turns.json' })).result).toBe(1);
});

it('does not try a pattern on a text without end', async () => {
  const ran = await project(
    plan(
      `  - id: a\n    shell: { run: 'head -c 300000 /dev/zero | tr "\\\\0" a' }\n    output: { type: string, pattern: '[a-z]+@[a-z]+' }\n`,
    ),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.output' } });
  expect(ran.message).toContain('longer than 20000 characters');
});

it('does not believe a server that it has used less than nothing', async () => {
  const turn = (usage: Record<string, number>) => ({ calls: [{ name: 'list_files', arguments: {} }], usage });
  const it = project({
    ...plan(
      `  - id: a\n    agent: { prompt: Hello, tools: [list_files], dead_loop_window: 0 }\n    output: { type: object }\n`,
      'limits: { tokens: 5000 }\n',
    ),
    'turns.json': [
      turn({ input: -1_000_000, output: 5 }),
      turn({ input: 10_000, output: 5 }),
      turn({ input: 10_000, output: 5 }),
    ],
  });
  expect(await it.run({ model: 'script:turns.json' })).toMatchObject({ status: 'limit', exit: 6 });
});

it('does not publish a file whose name is not UTF-8, and says so', async () => {
  const ran = await project(plan(`  - id: a\n    shell: { run: 'touch "$(printf "bad\\\\377name")" good' }\n`)).run();
  expect(ran.status).toBe('done');
  expect(ran.files()).toEqual(['good']);
  expect(ran.events.some((event) => event.type === 'step_notice' && event.text.includes('not UTF-8'))).toBe(true);
});

it("tells an agent at once that a name cannot be published, and hides the run's machinery from it", async () => {
  const call = (name: string, args: Record<string, string>) => ({ calls: [{ name, arguments: args }] });
  const it = project({
    ...plan(`  - id: s
    shell: { run: 'echo secret' }
  - id: a
    agent: { prompt: Hello, tools: [write_file, read_file, list_files] }
    output: { type: object, properties: { x: { type: string } } }
`),
    'turns.json': [
      call('write_file', { path: 'RUN.JSON', content: 'x' }),
      call('read_file', { path: '.steps/s/stdout.log' }),
      call('read_file', { path: 'events.ndjson' }),
      call('list_files', { path: '.steps' }),
      call('resolve', { x: 'done' }),
    ],
  });
  const ran = await it.run({ model: 'script:turns.json' });
  expect(ran.status).toBe('done');
  const tools = ran.events.flatMap((event) => (event.type === 'tool' ? [[event.name, event.ok]] : []));
  expect(tools).toEqual([
    ['write_file', false],
    ['read_file', false],
    ['read_file', false],
    ['list_files', false],
    ['resolve', true],
  ]);
  const transcript = readFileSync(join(ran.dir, '.steps/a/transcript.ndjson'), 'utf8');
  expect(transcript).not.toContain('secret');
  expect(existsSync(join(ran.dir, 'RUN.JSON'))).toBe(false);
});

it('refuses an input that the plan does not have, whatever its name', async () => {
  const it = project(plan(`  - id: a\n    set: { x: 1 }\n`));
  const inputs = JSON.parse('{"__proto__": 2}') as Record<string, never>;
  expect((await it.refused({ inputs })).inputs).toMatchObject([{ message: expect.stringContaining('__proto__') }]);
});

it('runs no process in a folder that a link leads to, unless that folder is permitted', async () => {
  const it = project({
    'data/x.txt': 'x',
    'pipeline.yaml': `version: 1
name: t
permissions: { read: [data] }
steps:
  - id: a
    shell: { run: pwd -P, cwd: '\${{ project.dir }}/data/link' }
`,
  });
  symlinkSync('/etc', join(it.dir, 'data/link'));
  expect(await it.run()).toMatchObject({ exit: 4, fault: { code: 'run.forbidden' } });
});
