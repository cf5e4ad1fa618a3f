import { describe, expect, it } from 'vitest';
import type { ModelRole } from '../../src/core/model-config.js';
import type { ModelsOptions } from '../../src/providers/models.js';
import { surveyModels } from '../../src/providers/survey.js';

const OLLAMA = async (url: string) => (url.includes('11434') ? { models: [{ name: 'qwen3:8b' }] } : undefined);

const survey = ({
  roles = {},
  ...options
}: Omit<Partial<ModelsOptions>, 'roles'> & { roles?: Record<string, ModelRole> } = {}) =>
  surveyModels({
    roles: new Map(Object.entries(roles)),
    env: {},
    detect: false,
    cwd: '/',
    fetchJson: async () => undefined,
    ...options,
  });

describe('the survey of models', () => {
  it('tells of a role what it is, costs, sees, can read, and falls back to', async () => {
    const roles = {
      main: { provider: 'openai', model: 'gpt-5-mini', price: { input: 1, output: 2 }, fallback: ['near'] },
      near: { provider: 'ollama', model: 'qwen3:8b' },
    };
    expect((await survey({ roles, env: { OPENAI_API_KEY: 'sk-secret' } })).roles).toEqual({
      main: {
        label: 'openai/gpt-5-mini',
        host: 'api.openai.com',
        key: 'set',
        price: { input: 1, output: 2 },
        images: true,
        contextTokens: expect.any(Number),
        fallback: ['near'],
      },
      near: {
        label: 'ollama/qwen3:8b',
        host: '127.0.0.1:11434',
        key: 'unneeded',
        price: { input: 0, output: 0 },
        images: null,
        contextTokens: 4_096,
        fallback: [],
      },
    });
  });

  it('tells of a role that cannot be used why, and not of what takes its place', async () => {
    const roles = { main: { provider: 'anthropic', model: 'claude-sonnet-4-5', fallback: ['near'] } };
    const near = { provider: 'ollama', model: 'm' };
    const { roles: found } = await survey({ roles: { ...roles, near } });
    expect(found.main).toMatchObject({
      label: 'anthropic/claude-sonnet-4-5',
      key: 'not set',
      price: { input: expect.any(Number) },
      images: true,
      fault: { code: 'provider.no_model' },
    });
  });

  it('never tells a key, and says when one is meant for another host', async () => {
    const roles = { far: { provider: 'openai', model: 'm', baseUrl: 'https://far.example/v1' } };
    const found = await survey({ roles, env: { OPENAI_API_KEY: 'sk-secret' } });
    expect(found.roles.far).toMatchObject({ key: 'withheld', price: null });
    expect(found.keys).toEqual({ OPENAI_API_KEY: 'set', ANTHROPIC_API_KEY: 'not set' });
    expect(JSON.stringify(found)).not.toContain('sk-secret');
  });

  it('says of a server on this machine that a key is set, where one is sent to it', async () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'm' };
    expect((await survey({ env: { ...env, OPENAI_API_KEY: 'sk-secret' } })).default).toMatchObject({ key: 'set' });
    expect((await survey({ env })).default).toMatchObject({ key: 'unneeded' });
  });

  it('tells what stands behind default and why, and which servers were asked, each once', async () => {
    const asked: string[] = [];
    const fetchJson = (url: string) => {
      asked.push(url);
      return OLLAMA(url);
    };
    const found = await survey({ detect: true, fetchJson });
    expect(found.default).toMatchObject({ label: 'ollama/qwen3:8b', reason: 'found ollama on this machine' });
    expect(found.servers?.map(({ name, models }) => [name, models])).toEqual([
      ['ollama', ['qwen3:8b']],
      ['lmstudio', []],
      ['llamacpp', []],
      ['vllm', []],
    ]);
    expect(asked).toHaveLength(4);
    expect(await survey()).not.toHaveProperty('servers');
  });

  it('tells why nothing can stand behind default', async () => {
    const roles = { default: { provider: 'openai', model: 'm' } };
    expect((await survey({ roles })).default).toMatchObject({ fault: { code: 'provider.no_model' } });
  });
});
