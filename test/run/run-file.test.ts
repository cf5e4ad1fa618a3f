import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
import { newestRun, type RunFile, readRunFile, runsOf } from '../../src/engine/run-file.js';
import { project, type Ran } from '../support/project.js';

const runJson = (ran: Ran) => JSON.parse(ran.file('run.json')) as RunFile;
const clockAt = (start: string) => {
  let now = Date.parse(start);
  return { now: () => now++, sleep: () => new Promise<void>(() => {}) };
};
const answering = (name: string): Provider => ({
  name,
  complete: async () => ({ text: '', calls: [{ id: name, name: 'resolve', arguments: '{"t":"x"}' }], finish: 'calls' }),
});

it('keeps the time of the first session, and those of the later ones', async () => {
  const it = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - { id: a, set: { x: 1 } }\n' });
  await it.run({ clock: clockAt('2026-01-01T00:00:00Z') });
  await it.run({ clock: clockAt('2026-01-02T00:00:00Z'), resume: true });
  const run = runJson(await it.run({ clock: clockAt('2026-01-03T00:00:00Z'), resume: true }));
  expect(run.started).toMatch(/^2026-01-01/);
  expect(run.resumed?.map((time) => time.slice(0, 10))).toEqual(['2026-01-02', '2026-01-03']);
  expect(run.ended).toMatch(/^2026-01-03/);
});

it('lists the run with the newest activity first, and goes on with that one', async () => {
  const it = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - { id: a, set: { x: 1 } }\n' });
  const first = await it.run({ clock: clockAt('2026-01-01T00:00:00Z') });
  const second = await it.run({ clock: clockAt('2026-01-02T00:00:00Z') });
  const root = join(it.dir, 'skill_run/t');
  expect(runsOf(root).map(({ dir }) => dir)).toEqual([second.dir, first.dir]);
  it.write(
    `skill_run/t/${runJson(first).slug}/run.json`,
    JSON.stringify({ ...runJson(first), resumed: ['2026-01-03T00:00:00.000Z'], ended: '2026-01-03T00:00:01.000Z' }),
  );
  expect(runsOf(root).map(({ dir }) => dir)).toEqual([first.dir, second.dir]);
  expect(newestRun(root, 'a query', {}, {})).toBe(first.dir);
  expect(readlinkSync(join(root, 'latest'))).toBe(runJson(second).slug);
  expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('names every model that answered, over all sessions, and no other', async () => {
  const agent = (id: string, model: string) =>
    `  - { id: ${id}, needs: [], agent: { prompt: p, model: ${model} }, output: { type: object, properties: { t: { type: string } }, required: [t] } }\n`;
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:\n${agent('a', 'one/m')}${agent('b', 'two/n')}  - { id: c, needs: [a, b], shell: { run: 'test -e "$PIPELINE_PROJECT_DIR/ok"' } }\n`,
  });
  const request = { model: undefined as never, providers: { one: answering('one'), two: answering('two') } };
  const seen: RunFile[] = [];
  const file = () => JSON.parse(it.read('skill_run/t/a-query/run.json')) as RunFile;
  const ran = await it.run({
    ...request,
    sinks: [{ write: ({ type }) => type === 'run_started' && seen.push(file()) }],
  });
  expect(seen[0]?.models).toEqual([]);
  expect([...runJson(ran).models].sort()).toEqual(['one/m', 'two/n']);
  it.write('ok', '');
  expect([...runJson(await it.run({ ...request, resume: true })).models].sort()).toEqual(['one/m', 'two/n']);
  expect(existsSync(join(ran.dir, '.lock'))).toBe(false);
});

it('takes a run.json that lacks what a list needs for none: the journal says what the run is', async () => {
  const it = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - { id: a, set: { x: 1 } }\n' });
  const ran = await it.run();
  it.write('skill_run/t/a-query/run.json', JSON.stringify({ run: 'x', query: 5, started: 7, status: 'done' }));
  expect(readRunFile(ran.dir)).toMatchObject({ query: 'a query', slug: 'a-query' });
  it.write('skill_run/t/none/run.json', '{ "run": "x" }');
  expect(readRunFile(join(it.dir, 'skill_run/t/none'))).toBeUndefined();
});

it('reads a file of a version that did not know costs: unpriced, unless its texts were placeholders', async () => {
  const it = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - { id: a, set: { x: 1 } }\n' });
  const ran = await it.run();
  const usage = { calls: 3, inputTokens: 30, outputTokens: 3, cachedTokens: 0, unknownCalls: 1 };
  const written = (placeholder: boolean) => {
    it.write('skill_run/t/a-query/run.json', JSON.stringify({ ...runJson(ran), placeholder, usage }));
    return readRunFile(ran.dir)?.usage;
  };
  expect(written(false)).toEqual({ ...usage, usd: 0, unpricedCalls: 3 });
  expect(written(true)).toEqual({ ...usage, usd: 0, unpricedCalls: 0 });
});
