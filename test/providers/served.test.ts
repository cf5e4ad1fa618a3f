/** What is known of a model that a server has, and what its provider is told of it. */
import { expect, it, onTestFinished } from 'vitest';
import type { ModelSettings } from '../../src/core/model-config.js';
import { createModels } from '../../src/providers/models.js';
import { mockServer, textReply } from '../support/mock-server.js';

/** What is said of an answer to a request of some 10 000 tokens. */
async function noticesOf(settings: ModelSettings, env: Record<string, string> = {}) {
  const server = await mockServer(() => textReply('Hello'));
  onTestFinished(() => server.close());
  const role = { provider: 'ollama', model: 'm', baseUrl: server.url, ...settings };
  const models = createModels({ roles: new Map([['near', role]]), env, detect: false, cwd: '/' });
  const { provider } = await models.pick('near');
  const notices: string[] = [];
  const request = { model: 'm', system: '', tools: [], toolChoice: 'auto', parameters: {} } as const;
  await provider.complete(
    { ...request, messages: [{ role: 'user', text: 'word '.repeat(10_000) }] },
    {
      signal: new AbortController().signal,
      idleTimeoutMs: 10_000,
      onNotice: (text) => void notices.push(text),
    },
  );
  return notices;
}

it('warns that Ollama reads less than it was sent by the context that it is known to have', async () => {
  expect(await noticesOf({})).toEqual([expect.stringContaining('only the last 4096 tokens')]);
  expect(await noticesOf({}, { OLLAMA_CONTEXT_LENGTH: '32768' })).toEqual([]);
  expect(await noticesOf({ contextTokens: 32_768 })).toEqual([]);
  expect(await noticesOf({ contextTokens: 8_000 })).toEqual([expect.stringContaining('only the last 8000 tokens')]);
});
