/** `pipeline models` on the built command line. */
import { expect, it, onTestFinished } from 'vitest';
import { workspace } from '../support/cli.js';
import { callReply, chunk, errorReply, type MockReply, mockServer, textReply } from '../support/mock-server.js';

async function serving(call: MockReply) {
  const server = await mockServer(({ body }) => (body.includes('"tools"') ? call : textReply('one two')));
  onTestFinished(() => server.close());
  const place = workspace();
  place.write('pipeline.config.yaml', `models: { near: { provider: openai, model: m, base_url: "${server.url}" } }\n`);
  return { place, server };
}

it('lists what is configured as text and JSON, with no key in either, and asks no model', async () => {
  const { place, server } = await serving(textReply(''));
  const env = { OPENAI_API_KEY: 'sk-secret-key' };
  const text = await place.pipeline(['models', '--no-detect'], env);
  expect(text, text.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toContain('default is openai/gpt-5-mini: OPENAI_API_KEY is set');
  expect(text.stdout).toContain('Servers on this machine were not looked for.');
  const json = await place.pipeline(['models', '--no-detect', '--json'], env);
  expect(JSON.parse(json.stdout)).toMatchObject({
    roles: { near: { label: 'openai/m', key: 'unneeded', price: { input: 0, output: 0 } } },
    default: { price: { input: expect.any(Number) }, contextTokens: expect.any(Number) },
    keys: { OPENAI_API_KEY: 'set', ANTHROPIC_API_KEY: 'not set' },
  });
  expect(text.stdout + json.stdout).not.toContain('sk-secret');
  expect(server.requests).toHaveLength(0);
});

it('tries a model, and exits with 0 if it can run agents, else with 3', async () => {
  const good = await serving(callReply(['resolve', { word: 'ready' }]));
  const can = await good.place.pipeline(['models', 'test', 'near']);
  expect(can, can.stderr).toMatchObject({ code: 0 });
  expect(can.stdout).toContain('It can run agents.');
  const { place } = await serving(textReply('I cannot call'));
  const cannot = await place.pipeline(['models', 'test', 'near', '--json']);
  expect(cannot).toMatchObject({ code: 3 });
  expect(JSON.parse(cannot.stdout)).toMatchObject({ canRunAgents: false, fault: { code: 'provider.refused' } });
  const unknown = await place.pipeline(['models', 'test', 'nera']);
  expect(unknown).toMatchObject({ code: 3, stdout: '' });
  expect(unknown.stderr).toContain('"nera" names no model.');
});

it('exits as a run does when the quota of the model is used up', async () => {
  const { place } = await serving(errorReply(429, { code: 'insufficient_quota', message: 'no credit is left' }));
  const ran = await place.pipeline(['models', 'test', 'near', '--json']);
  expect(ran).toMatchObject({ code: 6 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ fault: { code: 'provider.exhausted' } });
});

it('says in the last line of a run that a call was lost after its answer had begun', async () => {
  const quota = { error: { code: 'insufficient_quota', message: 'no credit is left' } };
  const { place } = await serving({
    headers: { 'content-type': 'text/event-stream' },
    body: `${chunk({ content: 'a' })}data: ${JSON.stringify(quota)}\n\n`,
  });
  place.write(
    'ask.yaml',
    `version: 1
name: ask
description: Ask.
steps:
  - id: ask
    agent: { instructions: You., prompt: x, model: near }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`,
  );
  const ran = await place.pipeline(['run', './ask.yaml', 'x']);
  expect(ran).toMatchObject({ code: 6 });
  expect(ran.stderr).toMatch(/^limit: 1 step, 0 done, .*1 model call lost, tokens unknown, /m);
});

it('says first what is wrong with the configuration, and exits with 2', async () => {
  const place = workspace();
  place.write('pipeline.config.yaml', 'models: [\n');
  const ran = await place.pipeline(['models', '--no-detect']);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('pipeline.config.yaml:') });
  const both = await place.bash('pipeline models --no-detect 2>&1');
  expect(both.stdout).toMatch(/^✗ /);
  const json = await place.pipeline(['models', '--no-detect', '--json']);
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({ problems: [{ severity: 'error' }] });
});
