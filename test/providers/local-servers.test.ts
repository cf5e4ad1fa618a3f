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
    expect(await findLocalServer(async () => undefined)).toBeUndefined();
  });
});

describe('asking a server', () => {
  it('gets its models', async () => {
    server = await mockServer([{ body: '{"data":[{"id":"m"}]}' }]);
    expect(await listModels(`${server.url}/`)).toEqual(['m']);
    expect(server.requests[0]?.url).toBe('/v1/models');
  });

  it.each([
    ['nothing in time', { refuse: 'hang' } as const],
    ['a reset', { refuse: 'reset' } as const],
    ['an error', { status: 500, body: '{"data":[]}' }],
    ['no JSON', { body: '<html>' }],
  ])('gets nothing from %s', async (_, reply) => {
    server = await mockServer([reply]);
    expect(await getJson(server.url, 100)).toBeUndefined();
  });
});
