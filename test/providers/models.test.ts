import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
import type { ModelRole } from '../../src/core/model-config.js';
import { createModels, type ModelsOptions } from '../../src/providers/models.js';
import { messageReply } from '../support/mock-messages.js';
import { type MockServer, mockServer, textReply } from '../support/mock-server.js';

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const notices: string[] = [];
type Options = Omit<Partial<ModelsOptions>, 'roles'> & { readonly roles?: Record<string, ModelRole> };
function models({ roles = {}, ...options }: Options = {}) {
  notices.length = 0;
  return createModels({
    roles: new Map(Object.entries(roles)),
    env: {},
    detect: false,
    cwd: '/',
    onNotice: (text) => void notices.push(text),
    fetchJson: async () => undefined,
    ...options,
  });
}

const OLLAMA = async (url: string) => (url.includes('11434') ? { models: [{ name: 'qwen3:8b' }] } : undefined);

describe('with nothing configured', () => {
  it('a key in the environment comes first', async () => {
    const chosen = models({ env: { OPENAI_API_KEY: 'k' }, detect: true, fetchJson: OLLAMA });
    expect(await chosen.describe()).toEqual({
      label: 'openai/gpt-5-mini',
      host: 'api.openai.com',
      reason: 'OPENAI_API_KEY is set',
      placeholder: false,
    });
  });

  it('a server on loopback comes next, and is named', async () => {
    const chosen = models({ detect: true, fetchJson: OLLAMA });
    expect(await chosen.describe()).toMatchObject({
      label: 'ollama/qwen3:8b',
      host: '127.0.0.1:11434',
      placeholder: false,
    });
    expect(notices).toEqual([expect.stringContaining('Found ollama at 127.0.0.1:11434')]);
  });

  it('nobody is asked when looking is switched off', async () => {
    const chosen = models({ detect: false, fetchJson: () => Promise.reject(new Error('asked')) });
    expect(await chosen.describe()).toMatchObject({ label: 'sketch', placeholder: true });
  });

  it('the sketch comes last', async () => {
    const chosen = models({ detect: true });
    expect(await chosen.describe()).toEqual({
      label: 'sketch',
      host: '',
      reason: 'no key is set and no model server was found',
      placeholder: true,
    });
  });

  it('what was found by others is taken, and nobody is asked again', async () => {
    const found = { name: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1', models: ['m', 'n'] };
    const fetchJson = () => Promise.reject(new Error('asked'));
    const chosen = models({ detect: true, fetchJson, findServer: async () => found });
    expect(await chosen.describe()).toMatchObject({ label: 'vllm/m', reason: 'found vllm on this machine' });
  });

  it('a key for Anthropic comes after one for OpenAI, and before a server on loopback', async () => {
    const env = { ANTHROPIC_API_KEY: 'k' };
    expect(await models({ env, detect: true, fetchJson: OLLAMA }).describe()).toEqual({
      label: 'anthropic/claude-sonnet-5-5',
      host: 'api.anthropic.com',
      reason: 'ANTHROPIC_API_KEY is set',
      placeholder: false,
    });
    expect((await models({ env: { ...env, OPENAI_API_KEY: 'k' } }).pick('default')).host).toBe('api.openai.com');
    expect((await models({ env: { ...env, ANTHROPIC_MODEL: 'm' } }).pick('default')).label).toBe('anthropic/m');
  });

  it('a base URL for Anthropic without a key chooses nothing', async () => {
    const env = { ANTHROPIC_BASE_URL: 'https://proxy.example' };
    expect((await models({ env, detect: true, fetchJson: OLLAMA }).pick('default')).label).toBe('ollama/qwen3:8b');
  });

  it('a base URL on loopback needs no key, and its server is asked for its models', async () => {
    server = await mockServer((request) =>
      request.method === 'GET' ? { body: '{"data":[{"id":"m"}]}' } : textReply('Hi'),
    );
    const chosen = createModels({ roles: new Map(), env: { OPENAI_BASE_URL: server.url }, detect: false, cwd: '/' });
    const { provider, model, label } = await chosen.pick('default');
    expect(label).toBe('openai/m');
    const request = { model, system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
    expect(
      (await provider.complete(request, { signal: new AbortController().signal, idleTimeoutMs: 1_000 })).text,
    ).toBe('Hi');
  });

  it.each([
    ['nobody listens', undefined, {}, 'failed (ECONNREFUSED)', 'Is the model server running on that port?'],
    ['it wants a key', { status: 401, body: '{"error":"no"}' }, {}, 'HTTP 401: no', 'export OPENAI_API_KEY=…'],
    ['it refuses the key', { status: 401, body: '{}' }, { OPENAI_API_KEY: 'k' }, 'HTTP 401: {}', 'Check the key'],
    ['it is no such place', { status: 404, body: '' }, {}, 'HTTP 404: (no body)', 'usually ends in /v1'],
    ['it lists none', { body: '{"data":[]}' }, {}, 'does not say which models it has', 'Name one: --model openai/'],
  ])('a base URL on loopback that gives no models says why: %s', async (_, reply, key, message, hint) => {
    server = await mockServer([reply ?? {}]);
    const env = { OPENAI_BASE_URL: server.url, ...key };
    if (!reply) await server.close();
    const picked = createModels({ roles: new Map(), env, detect: false, cwd: '/' }).pick('default');
    await expect(picked).rejects.toMatchObject({
      data: {
        code: 'provider.no_model',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      },
    });
  });

  it('a base URL elsewhere needs one', async () => {
    await expect(models({ env: { OPENAI_BASE_URL: 'https://model.example/v1' } }).pick('default')).rejects.toThrow(
      'no key for model.example',
    );
  });
});

describe('with roles', () => {
  const roles = {
    default: { provider: 'openai', model: 'gpt', parameters: { temperature: 0.2 } },
    judge: { provider: 'anthropic', model: 'claude', fallback: ['default'] },
    local: { provider: 'openai', baseUrl: 'http://127.0.0.1:9/v1', model: 'a/b', price: { input: 0, output: 0 } },
  };
  const env = { OPENAI_API_KEY: 'sk-secret-key' };

  it('a role gives provider, model, host and parameters', async () => {
    expect(await models({ roles, env }).pick('default')).toMatchObject({
      model: 'gpt',
      label: 'openai/gpt',
      host: 'api.openai.com',
      parameters: { temperature: 0.2 },
    });
    expect(await models({ roles, env }).pick('local')).toMatchObject({
      model: 'a/b',
      label: 'openai/a/b',
      host: '127.0.0.1:9',
      parameters: {},
    });
  });

  it('a provider that cannot be used gives way to its fallback, with a notice', async () => {
    expect((await models({ roles, env }).pick('judge')).label).toBe('openai/gpt');
    expect(notices).toEqual([expect.stringContaining('"judge" cannot be used')]);
  });

  it('a role that is not configured falls back to default, with one notice', async () => {
    const chosen = models({ roles, env });
    await chosen.pick('juge');
    expect((await chosen.pick('juge')).label).toBe('openai/gpt');
    expect(notices).toEqual(['No model is configured for the role "juge"; "default" is used. Did you mean "judge"?']);
  });

  it('a configured model without a key is an error, and never the sketch', async () => {
    await expect(models({ roles, detect: true, fetchJson: OLLAMA }).pick('default')).rejects.toThrow(
      'OPENAI_API_KEY is not set',
    );
  });

  it('one server is one provider, so that what it was found not to take is remembered', async () => {
    const chosen = models({ roles, env });
    expect((await chosen.pick('default')).provider).toBe((await chosen.pick('openai/other')).provider);
  });

  it('the key goes to the host of the environment, not to one that a file names', async () => {
    server = await mockServer([textReply('Hi')]);
    const role = { provider: 'openai', model: 'm', baseUrl: server.url };
    for (const OPENAI_BASE_URL of [undefined, server.url]) {
      const { provider } = await models({ roles: { default: role }, env: { ...env, OPENAI_BASE_URL } }).pick('default');
      const request = { model: 'm', system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
      await provider.complete(request, { signal: new AbortController().signal, idleTimeoutMs: 1_000 });
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer sk-secret-key']);
  });
});

describe('the provider anthropic', () => {
  const ask = { system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
  const calm = { signal: new AbortController().signal, idleTimeoutMs: 1_000 };

  it('is refused without a key, with the name of the variable', async () => {
    await expect(models().pick('anthropic/claude')).rejects.toMatchObject({
      data: { code: 'provider.no_model', message: expect.stringContaining('ANTHROPIC_API_KEY is not set') },
    });
  });

  it('gives its key to the host of the environment alone, and OpenAI gets none of it', async () => {
    server = await mockServer(() => messageReply('Hi'));
    const origin = new URL(server.url).origin;
    const role = { provider: 'anthropic', model: 'm', baseUrl: origin };
    const env = { ANTHROPIC_API_KEY: 'sk-ant-secret', OPENAI_API_KEY: 'sk-other-secret' };
    for (const ANTHROPIC_BASE_URL of [undefined, origin]) {
      const picked = await models({ roles: { default: role }, env: { ...env, ANTHROPIC_BASE_URL } }).pick('default');
      expect(picked).toMatchObject({ label: 'anthropic/m', host: new URL(origin).host });
      expect((await picked.provider.complete({ ...ask, model: 'm' }, calm)).text).toBe('Hi');
    }
    expect(server.requests.map(({ url, headers }) => [url, headers['x-api-key'], headers.authorization])).toEqual([
      ['/v1/messages', undefined, undefined],
      ['/v1/messages', 'sk-ant-secret', undefined],
    ]);
  });
});

describe('--model', () => {
  const roles = { default: { provider: 'openai', model: 'gpt' }, local: { provider: 'ollama', model: 'qwen3:8b' } };

  it.each([
    ['sketch', 'sketch', ''],
    ['openai/gpt-5', 'openai/gpt-5', 'api.openai.com'],
    ['openai/mock:r=50', 'openai/mock:r=50', 'api.openai.com'],
    ['local', 'ollama/qwen3:8b', '127.0.0.1:11434'],
  ])('%s replaces every model', async (flagModel, label, host) => {
    const chosen = models({ roles, env: { OPENAI_API_KEY: 'k' }, flagModel });
    for (const name of ['default', 'judge', 'openai/other'])
      expect(await chosen.pick(name)).toMatchObject({ label, host });
  });

  it('script:<file> answers from the file', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'models-'));
    await writeFile(join(dir, 'turns.json'), '[{"text":"one"}]');
    const { provider, label } = await models({ cwd: dir, flagModel: 'script:turns.json' }).pick('default');
    expect(label).toBe('script:turns.json');
    const request = { model: '', system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
    expect(
      (await provider.complete(request, { signal: new AbortController().signal, idleTimeoutMs: 1_000 })).text,
    ).toBe('one');
  });

  it.each([
    [
      'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n',
      'is neither a list of turns',
    ],
    ['just words\n', 'is neither a list of turns'],
    ['[{"text": "one"', 'cannot be parsed'],
  ])('script:<file> with no script in it is refused before it is asked: %j', async (text, why) => {
    const dir = await mkdtemp(join(tmpdir(), 'models-'));
    await writeFile(join(dir, 'none'), text);
    const picked = models({ cwd: dir, flagModel: 'script:none' }).pick('default');
    await expect(picked).rejects.toMatchObject({
      data: { code: 'config.invalid', message: expect.stringContaining(why) },
    });
  });

  it('takes a provider of the library user by its name', async () => {
    const own: Provider = { name: 'own', complete: () => Promise.reject(new Error('unused')) };
    expect(await models({ providers: { own }, flagModel: 'own' }).pick('default')).toMatchObject({ label: 'own' });
    expect(await models({ providers: { own } }).pick('own/m')).toMatchObject({
      provider: { name: 'own' },
      model: 'm',
      label: 'own/m',
    });
  });

  it('takes for one that sees what is a placeholder: it looks at nothing', async () => {
    const stub = (more: Partial<Provider>): Provider => ({ name: 'x', complete: () => Promise.reject(), ...more });
    const chosen = models({ providers: { stub: stub({}), mine: stub({ placeholder: true }) } });
    expect((await chosen.pick('mine/m')).sees).toBe(true);
    expect((await chosen.pick('stub/m')).sees).toBeUndefined();
  });

  it('takes for a placeholder what says so, whatever its name is', async () => {
    const complete = () => Promise.reject(new Error('unused'));
    const named: Provider = { name: 'sketch', complete };
    const marked: Provider = { name: 'mine', placeholder: true, complete };
    const chosen = models({ providers: { named, marked } });
    for (const [name, placeholder] of [
      ['named/m', false],
      ['marked/m', true],
      ['sketch', true],
    ] as const) {
      expect(await chosen.pick(name)).toMatchObject({ placeholder });
      expect(await chosen.describe(name)).toMatchObject({ placeholder });
    }
  });

  it.each([
    ['gpt-5', 'write provider/model-id, as in openai/gpt-5'],
    ['constructor', 'Name one of default, sketch'],
    ['openai/', 'Write provider/model-id'],
    ['/x', 'provider: openai with its base_url'],
    ['opnai/gpt-5', 'Did you mean "openai"?'],
    ['anthropic/claude', '--model sketch'],
  ])('%s is refused with what to do', async (flagModel, hint) => {
    await expect(models({ flagModel }).pick('default')).rejects.toMatchObject({
      data: { code: 'provider.no_model', hint: expect.stringContaining(hint) },
    });
  });
});
