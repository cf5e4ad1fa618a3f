import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRedactor } from '../../src/core/secrets.js';
import { project } from '../support/project.js';

const A_TOKEN = 'ghp_"0123456789"abcdef';
const TURNS = [
  { text: `I use ${A_TOKEN}.`, calls: [{ name: 'read_file', arguments: { path: `${A_TOKEN}.txt` } }] },
  { reasoning: `Not ${A_TOKEN}.`, calls: [{ name: 'read_file', arguments: { path: 'none.txt' } }] },
];
const ANSWER = { calls: [{ name: 'resolve', arguments: { word: 'w' } }] };

it('a secret that the model says itself is in no file of the run, nor in its recording, which is replayed', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: go, tools: [read_file], max_rounds: 3 }
    output: { type: object, properties: { word: { type: string } }, required: [word] }
result: '\${{ steps.a.output.word }}'
`,
    'turns.json': [...TURNS, ANSWER],
  });
  const env = { PATH: process.env.PATH, HOME: it.dir, A_TOKEN };
  const record = join(it.dir, 'cassette');
  expect((await it.run({ env, model: 'script:turns.json', record })).result).toBe('w');
  for (const dir of [record, join(it.dir, 'skill_run')]) {
    const kept = filesIn(dir);
    expect(kept).toContain('«redacted:A_TOKEN»');
    expect(createRedactor({ A_TOKEN })?.find(kept)).toBeUndefined();
  }
  const again = await it.run({ env, replay: record });
  expect(again.message).toBe('');
  expect(again.result).toBe('w');
});

it('a conversation in which the model said a secret goes on after a failure', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: go, tools: [read_file], max_rounds: 2 }
    output: { type: object, properties: { word: { type: string } }, required: [word] }
result: '\${{ steps.a.output.word }}'
`,
    'turns.json': [...TURNS, ANSWER],
  });
  const env = { PATH: process.env.PATH, HOME: it.dir, A_TOKEN };
  const record = join(it.dir, 'cassette');
  const first = await it.run({ env, model: 'script:turns.json', record });
  expect(first).toMatchObject({ status: 'failed', fault: { code: 'agent.rounds' } });
  const going = { resume: true, goOn: { step: 'a', rounds: 2 } };
  const second = await it.run({ env, model: 'script:turns.json', record, ...going });
  expect(second.result).toBe('w');
  expect(second.events.flatMap((event) => (event.type === 'round' ? [event.round] : []))).toEqual([3]);
  expect(createRedactor({ A_TOKEN })?.find(filesIn(it.dir).replaceAll(it.read('turns.json'), ''))).toBeUndefined();
});

const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
