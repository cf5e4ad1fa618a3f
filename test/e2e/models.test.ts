/** `pipeline models` on the built command line. */
import { expect, it, onTestFinished } from 'vitest';
import { workspace } from '../support/cli.js';
import { callReply, type MockReply, mockServer, textReply } from '../support/mock-server.js';

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
