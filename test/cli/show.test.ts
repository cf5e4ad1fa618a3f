import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runJson, runText } from '../../src/cli/show-run.js';
import { stepJson, stepText } from '../../src/cli/show-step.js';
import { Fault } from '../../src/core/faults.js';
import type { Provider } from '../../src/core/model.js';
import { difference } from '../explain/told.js';
import { resolve, turn } from '../support/chat.js';
import { type MockReply, mockServer } from '../support/mock-server.js';
import { project, type Ran, type TestProject } from '../support/project.js';

const TITLE = '{ type: object, properties: { title: { type: string } }, required: [title] }';
const asks = (more = '', keys = '') => ({
  'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: 'A title for \${{ query }}', tools: [write_file], max_rounds: 2${keys} }
    output: ${TITLE}
    retry: { attempts: 2, backoff: 1ms }
${more}`,
});
/** 10 tokens in and 5 out are a dollar. */
const PRICE = '{ input: 50000, output: 100000 }';
/** Waits before another attempt are shorter, limits of time are not. */
const shortSleep = (ms: number) => (ms < 60_000 ? Promise.resolve() : new Promise<void>(() => {}));
const note = turn({ calls: [{ name: 'write_file', args: { path: 'notes.md', content: 'hello' } }] });

async function ranWith(replies: readonly MockReply[], files: ReturnType<typeof asks>) {
  const server = await mockServer(replies);
  onTestFinished(() => server.close());
  const model = `{ provider: openai, base_url: "${server.url}", model: m, price: ${PRICE} }`;
  const it = project({ ...files, 'pipeline.config.yaml': `models: { default: ${model} }\n` });
  const env = { PATH: process.env.PATH, HOME: it.dir, OPENAI_API_KEY: 'k' };
  const clock = { now: Date.now, sleep: shortSleep };
  const run = (request: Parameters<TestProject['run']>[0] = {}) =>
    it.run({ model: undefined as never, env, clock, ...request });
  return { it, run, ran: await run() };
}

const timeless = (text: string, ran: Ran) =>
  text
    .replaceAll(ran.dir, 'RUN')
    .replace(/\S*skill_run\/t\/a-query/g, 'RUN')
    .replace(/\b\d+(\.\d+)? m?s\b/g, 'MS')
    .replace(/\d{4}-\S+Z/g, 'TIME');

it('lists every failed attempt with what it held, and says how the agent goes on', async () => {
  const { ran } = await ranWith([note, resolve({ title: 7 }), note, resolve({ title: 8 })], asks());
  expect(ran.status).toBe('failed');
  const shown = timeless(stepText(ran.dir, 'a'), ran);
  expect(shown).toContain(
    '\nrounds  2, the last of 2 attempts\ntokens  40 in, 20 out\ncost    $4.00\nmodel   openai/m\n',
  );
  expect(shown).toContain(
    '\ngo on   pipeline resume t/a-query --no-detect --step a --rounds +10  (in the same conversation)\n',
  );
  expect(shown).toContain('\nanew    pipeline resume t/a-query --no-detect --from a\n');
  const at = (number: number, title: number, folder: string) => [
    `attempt ${number}  failed  2 rounds  2 tool calls  30 tokens  $2.00`,
    `  last words  resolve({"title":${title}})`,
    '  file        notes.md  5 bytes',
    `  folder      RUN/.steps/a${folder}`,
  ];
  const attempts = shown.slice(shown.indexOf('attempt 1')).trimEnd().split('\n');
  expect(attempts.filter((line) => !line.startsWith('  fault '))).toEqual([
    ...at(1, 7, '/attempts/1'),
    '',
    ...at(2, 8, ''),
  ]);
  expect(attempts.filter((line) => line.startsWith('  fault '))).toEqual([
    expect.stringMatching(/agent\.schema: .*number 7/),
  ]);
  expect(stepJson(ran.dir, 'a')).toMatchObject({
    rounds: 2,
    calls: 4,
    inputTokens: 40,
    usd: 4,
    attempts: [
      { number: 1, status: 'failed', rounds: 2, toolCalls: 2, usd: 2, fault: { code: 'agent.schema' } },
      { number: 2, folder: join(ran.dir, '.steps/a'), files: [{ path: 'notes.md', bytes: 5 }], moreFiles: 0 },
    ],
  });
  expect(runText(ran.dir)).toContain(
    'in the same conversation  pipeline resume t/a-query --no-detect --step a --rounds +10',
  );
});

it('says after an agent went on that it did, with the attempt that had failed', async () => {
  const wrong = resolve({ title: 7 });
  const { run } = await ranWith([wrong, wrong, wrong, wrong, resolve({ title: 'T' })], asks());
  const ran = await run({ resume: true, goOn: { step: 'a', rounds: 5 } });
  expect(ran.status).toBe('done');
  const shown = timeless(stepText(ran.dir, 'a'), ran);
  expect(shown).toMatch(/^a {2}done\n/);
  expect(shown).toContain('rounds   3, the last of 3 attempts\nwent on  after agent.schema: ');
  expect(shown.match(/^attempt \d .*|^ {2}folder .*/gm)).toEqual([
    'attempt 1  failed  2 rounds  2 tool calls  30 tokens  $2.00',
    '  folder      RUN/.steps/a/attempts/1',
    'attempt 2  failed  2 rounds  2 tool calls  30 tokens  $2.00',
    '  folder      RUN/.steps/a/attempts/2',
  ]);
  expect(shown).not.toContain('--rounds');
});

it('tells rounds, tokens and cost of each step, with a total', async () => {
  const b = `  - { id: b, agent: { prompt: p }, output: ${TITLE} }\n  - { id: c, set: { x: 1 } }\n`;
  const { ran } = await ranWith([resolve({ title: 'A' }), resolve({ title: 'B' })], asks(b));
  const rows = timeless(runText(ran.dir), ran).split('\n').slice(-4);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ['a', 'done', 'MS', '1 round', '15 tokens', '$1.00'],
    ['b', 'done', 'MS', '1 round', '15 tokens', '$1.00'],
    ['c', 'done', 'MS'],
    ['total', '2 calls', '30 tokens', '$2.00'],
  ]);
  expect(runJson(ran.dir)).toMatchObject({
    usage: { calls: 2, usd: 2, unpricedCalls: 0 },
    steps: [{ path: 'a', usd: 1, attempts: 1 }, { path: 'b' }, { path: 'c', calls: 0 }],
  });
});

it('says which model took over and why, and calls a model without a price unpriced', async () => {
  const usage = { inputTokens: 1_200, outputTokens: 5, cachedTokens: 300 };
  const calls = [{ id: '1', name: 'resolve', arguments: '{"title":"A"}' }];
  const two: Provider = { name: 'two', complete: async () => ({ text: '', calls, finish: 'calls', usage }) };
  const files = asks('', ', model: one/m, fallback: [two/n]');
  const busy: Provider = {
    name: 'one',
    complete: async () => {
      throw new Fault('provider.overloaded', 'busy');
    },
  };
  const clock = { now: Date.now, sleep: shortSleep };
  const ran = await project(files).run({ model: undefined as never, providers: { one: busy, two }, clock });
  expect(stepText(ran.dir, 'a')).toMatch(
    /^tokens +1\.2k in \(300 cached\), 5 out\ncost +unpriced\nmodel +two\/n\nfallback +one\/m → two\/n: busy$/m,
  );
  expect(stepJson(ran.dir, 'a')).toMatchObject({ fallbacks: [{ from: 'one/m', to: 'two/n' }], attempts: [] });
});

it('tells no tokens and no cost where nobody answered', async () => {
  const failing = (name: string, message: string): Provider => ({
    name,
    complete: async () => {
      throw new Fault('provider.overloaded', message);
    },
  });
  const providers = { one: failing('one', 'busy'), two: failing('two', 'down') };
  const files = asks('', ', model: one/m, fallback: [two/n]');
  const clock = { now: Date.now, sleep: shortSleep };
  const ran = await project(files).run({ model: undefined as never, providers, clock });
  const shown = stepText(ran.dir, 'a');
  expect(shown).toMatch(/^fallback +one\/m → two\/n: busy$/m);
  expect(shown).not.toMatch(/^(tokens|cost|model)\b/m);
});

it('costs nothing with placeholder texts', async () => {
  const ran = await project(asks()).run();
  expect(runText(ran.dir)).toMatch(/^total +1 call +\d+ tokens +\$0$/m);
});

it('finds the folder of an attempt by its time, where one before it left nothing, and lists only the first files', async () => {
  const shell = `for n in 1 2 3 4 5 6 7 8 9; do echo $n > $n.txt; done; echo out; exit 1`;
  const retry = 'retry: { attempts: 3, backoff: 1ms }';
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: '${shell}' }, ${retry} }\n`,
  });
  const ran = await it.run();
  const folder = (name: string) => join(ran.dir, '.steps/a/attempts', name);
  rmSync(folder('1'), { recursive: true });
  const parts = timeless(stepText(ran.dir, 'a'), ran).split('\n\n').slice(1);
  expect(parts[0]).toMatch(/^attempt 1 {2}failed\n.*\n {2}folder {2}it left nothing$/);
  expect(parts[1]).toMatch(
    /^attempt 2 {2}failed\n(.*\n)+.*8\.txt {2}2 bytes\n +… 1 file more\n {2}folder {2}RUN\/\.steps\/a\/attempts\/2$/,
  );
});

it('tells tokens and cost of two runs, by model where there are several', async () => {
  const one = await ranWith([resolve({ title: 'A' })], asks());
  const other = await one.run({ model: 'sketch', query: 'a query' });
  const text = difference(one.ran, other);
  expect(text).toMatch(/^openai\/m {2}1 call, 15 tokens, \$1\.00 → nothing$/m);
  expect(text).toMatch(/^sketch {2}nothing → 1 call, \d+ tokens, \$0$/m);
  expect(text).toMatch(/^total {2}1 call, 15 tokens, \$1\.00, MS → 1 call, \d+ tokens, \$0, MS$/m);
});
