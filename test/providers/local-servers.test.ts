import { afterEach, describe, expect, it } from 'vitest';
import { findLocalServer, getJson, listModels } from '../../src/providers/local-servers.js';
import { type MockServer, mockServer } from '../support/mock-server.js';

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const answers = (bodies: Record<string, unknown>) => async (url: string) => bodies[url];

describe('looking for a server on this machine', () => {
  it('takes the first of the list that has a model', async () => {
    const found = await findLocalServer(
      answers({
        'http://127.0.0.1:11434/api/tags': { models: [] },
        'http://127.0.0.1:1234/v1/models': { error: 'Unexpected endpoint' },
        'http://127.0.0.1:8080/v1/models': { data: [{ id: 'text-embedding-x' }, { id: 'talker' }] },
        'http://127.0.0.1:8000/v1/models': { data: [{ id: 'other' }] },
      }),
    );
    expect(found).toEqual({ name: 'llamacpp', baseUrl: 'http://127.0.0.1:8080/v1', models: ['talker'] });
  });

  it('reads the names that Ollama lists', async () => {
    const found = await findLocalServer(
      answers({ 'http://127.0.0.1:11434/api/tags': { models: [{ name: 'qwen3:8b' }] } }),
    );
    expect(found).toEqual({ name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b'] });
  });

  it('finds nothing where nothing answers', async () => {
    expect(await findLocalServer(() => Promise.reject(new Error('refused')))).toBeUndefined();
  });
});

describe('asking a server', () => {
  it('gets its models', async () => {
    server = await mockServer([{ body: '{"data":[{"id":"m"}]}' }]);
    expect(await listModels(`${server.url}/`, 'k')).toEqual(['m']);
    expect(server.requests[0]).toMatchObject({ url: '/v1/models', headers: { authorization: 'Bearer k' } });
  });

  it.each([
    ['nothing in time', { refuse: 'hang' } as const, 'does not answer within 0.1 s'],
    ['a reset', { refuse: 'reset' } as const, 'failed (ECONNRESET)'],
    ['an error', { status: 401, body: '{"error":{"message":"no such key"}}' }, 'HTTP 401: no such key'],
  ])('says why it gets nothing: %s', async (_, reply, why) => {
    server = await mockServer([reply]);
    await expect(getJson(server.url, 100)).rejects.toThrow(why);
  });

  it('gets nothing from what is no JSON', async () => {
    server = await mockServer([{ body: '<html>' }]);
    expect(await getJson(server.url, 100)).toBeUndefined();
  });
});
