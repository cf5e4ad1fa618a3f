import { expect, it } from 'vitest';
import { serving } from '../cases/serving.js';
import { bodyOf, resolve, turn } from '../support/chat.js';
import { errorReply } from '../support/mock-server.js';
import { project } from '../support/project.js';

const STEP = `version: 1
name: t
steps:
  - id: say
    agent: { prompt: Say., tools: [list_files], model: main, fallback: [absent, second] }
    output: { type: object, properties: { word: { type: string } }, required: [word] }
`;
const look = turn({ calls: [{ name: 'list_files', args: { path: 'skills' } }] });

async function two(main: Parameters<typeof serving>[0], second: Parameters<typeof serving>[0]) {
  const [one, other] = [await serving(main), await serving(second)];
  const role = (url: string, model: string) => `{ provider: openai, base_url: "${url}", model: ${model} }`;
  const it = project({
    'pipeline.yaml': STEP,
    'pipeline.config.yaml': `models:\n  main: ${role(one.url, 'm1')}\n  second: ${role(other.url, 'm2')}\n  absent: { provider: anthropic, model: x }\n`,
  });
  return { one, other, it, run: (more = {}) => one.run(it, { env: { PATH: process.env.PATH }, ...more }) };
}

it('a service that fails gives way to the next model that can be asked, in the same conversation, with the reason in the journal', async () => {
  const { one, other, run } = await two([look, errorReply(503, { message: 'down' })], [resolve({ word: 'yes' })]);
  const ran = await run();
  expect(ran).toMatchObject({ status: 'done', usage: { calls: 2 } });
  expect(one.requests).toHaveLength(5);
  expect(bodyOf(other.requests[0])).toMatchObject({ model: 'm2' });
  expect(bodyOf(other.requests[0]).messages).toEqual(bodyOf(one.requests[1]).messages);
  expect(ran.events.find(({ type }) => type === 'fallback')).toMatchObject({
    from: 'openai/m1',
    to: 'openai/m2',
    fault: { code: 'provider.overloaded' },
  });
  expect(ran.events.flatMap((event) => (event.type === 'round' ? [event.model] : []))).toEqual([
    'openai/m1',
    'openai/m2',
  ]);
});

it('a refusal, and a fault of the agent, are no reason to ask another model', async () => {
  const refused = await two([errorReply(401, { message: 'wrong key' })], [resolve({ word: 'no' })]);
  expect(await refused.run()).toMatchObject({ status: 'failed' });
  const mute = await two([turn({ text: 'words' })], [resolve({ word: 'no' })]);
  expect(await mute.run()).toMatchObject({ status: 'failed' });
  expect([...refused.other.requests, ...mute.other.requests]).toHaveLength(0);
});

it('an exhausted quota of the first model goes to the second, and the run does not stop', async () => {
  const gone = errorReply(429, { message: 'quota', code: 'insufficient_quota' });
  const { one, other, run } = await two([gone], [resolve({ word: 'yes' })]);
  expect(await run()).toMatchObject({ status: 'done' });
  expect([one.requests.length, other.requests.length]).toEqual([1, 1]);
});

it('a recording keeps what another model answered under the model that was asked for', async () => {
  const { it, run } = await two([look, errorReply(503, { message: 'down' })], [look, resolve({ word: 'yes' })]);
  const record = `${it.dir}/tape`;
  it.write('pipeline.yaml', `${STEP}result: \${{ steps.say.output.word }}\n`);
  const ran = await run({ record });
  expect(ran).toMatchObject({ status: 'done', result: 'yes', usage: { calls: 3 } });
  for (const replay of [record, ran.dir]) {
    const again = await run({ replay });
    expect([again.message, again.result]).toEqual(['', 'yes']);
  }
});
