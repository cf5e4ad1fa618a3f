import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { project } from '../support/project.js';

const OUTPUT = '{ type: object, properties: { t: { type: string } }, required: [t] }';
const SCRIPTED = { model: 'script:turns.json' } as const;
const read = (path: string): Json => ({ calls: [{ name: 'read_file', arguments: { path } }] });

it.each(['events.ndjson', 'run.json', '.steps/a/stdout.log', '.lock', './events.ndjson', 'x/../run.json'])(
  'adds no %s of the run to a prompt',
  async (file) => {
    const it = project({
      'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - id: a\n    shell: { run: 'echo printed; mkdir x; touch x/y' }\n  - id: b\n    agent: { prompt: p, files: ['\${{ query }}'] }\n    output: ${OUTPUT}\n`,
      'turns.json': { turns: [{ resolve: { t: 'x' } }] },
    });
    const ran = await it.run({ ...SCRIPTED, query: file });
    expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.path' } });
    expect(ran.message).toContain(
      `files: ${JSON.stringify(file)} cannot be added to the prompt: ${file} may not be read`,
    );
  },
);

it('reads of other runs nothing but what a person named, and of that only what was published', async () => {
  const plan = (top = '') =>
    `version: 1\nname: t\n${top}steps:\n  - id: a\n    agent: { prompt: p, tools: [read_file, list_files] }\n    output: ${OUTPUT}\n`;
  const it = project({ 'pipeline.yaml': plan(), 'turns.json': { turns: [{ resolve: { t: 'x' } }] } });
  const other = await it.run(SCRIPTED);
  it.write(other.dir.slice(it.dir.length + 1).concat('/page.md'), 'page');
  const own = ['events.ndjson', 'run.json', '.steps/a/transcript.ndjson', '../pipeline.log'].map((name) =>
    join(other.dir, name),
  );
  const page = join(other.dir, 'page.md');
  const oksOf = async (top: string, more = {}) => {
    it.write('pipeline.yaml', plan(top));
    it.write('turns.json', {
      turns: [...[...own, page, page.slice(it.dir.length + 1)].map(read), { resolve: { t: 'x' } }],
    });
    const ran = await it.run({ ...SCRIPTED, ...more });
    expect(ran.status).toBe('done');
    return ran.events.flatMap((event) => (event.type === 'tool' && event.name !== 'resolve' ? [event.ok] : []));
  };
  const nothing = [false, false, false, false];
  expect(await oksOf('')).toEqual([...nothing, false, false]);
  expect(await oksOf('permissions: { read: [.] }\n')).toEqual([...nothing, false, false]);
  expect(await oksOf('permissions: { read: [skill_run] }\n')).toEqual([false, false, false, true, true, true]);
  const inputs = 'inputs: { draft: { type: string, format: path } }\n';
  expect(await oksOf(inputs, { inputs: { draft: page } })).toEqual([...nothing, true, true]);
});

it('reads what its own run has published', async () => {
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - id: a\n    shell: { run: 'echo hello > note.txt' }\n  - id: b\n    agent: { prompt: p, tools: [read_file], files: [note.txt] }\n    output: ${OUTPUT}\n`,
    'turns.json': { turns: [read('note.txt'), { resolve: { t: 'x' } }] },
  });
  const ran = await it.run(SCRIPTED);
  expect(ran.events.flatMap((event) => (event.type === 'tool' && event.name !== 'resolve' ? [event.ok] : []))).toEqual([
    true,
  ]);
  expect(readFileSync(join(ran.dir, '.steps/b/prompt.md'), 'utf8')).toContain('hello');
});

it.each([
  ['INPUT', 'events.ndjson'],
  ['INPUT', '.steps/.inputs.json'],
  ['INPUT', 'skill_run/other/run/run.json'],
  ['PROMPT', 'run.json'],
])('gives no sub-agent of a script what its %s names of the machinery: %s', async (key, file) => {
  const rule = '━'.repeat(40);
  const block = [rule, 'STATE  : A', 'TYPE   : llm_subagent', 'DO     : Do it.', `${key} : ${file}`, rule].join('\n');
  const it = project({
    'skills/drive/scripts/run.sh': `cat <<'BLOCK'\n${block}\nBLOCK\n`,
    'skill_run/other/run/run.json': '{}',
    'turns.json': { turns: [{ text: 'a' }] },
  });
  const ran = await it.run({ ...SCRIPTED, target: 'drive' });
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.path' } });
  expect(ran.message).toMatch(/cannot be added to the prompt/);
});
