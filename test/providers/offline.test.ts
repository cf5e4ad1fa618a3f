import { describe, expect, it } from 'vitest';
import { createModels } from '../../src/providers/models.js';
import { describeOffline, describeRole } from '../../src/providers/offline.js';

const ROLES = new Map(
  Object.entries({
    default: { provider: 'openai', model: 'gpt-4o', fallback: ['near'] },
    near: { provider: 'ollama', model: 'm', images: true },
    stub: { provider: 'sketch', model: 'any', fallback: ['near'] },
    lost: { provider: 'openai', model: 'm', baseUrl: 'no address' },
  }),
);
const offline = (name: string, flagModel?: string) =>
  describeOffline(name, { roles: ROLES, cwd: '/', env: {}, flagModel });
const costs = async (name: string, flagModel?: string) => {
  const price = await offline(name, flagModel).price();
  return price?.({ inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 });
};

describe('what a name stands for', () => {
  it('is told of a role, an id, and a role that nobody has configured', () => {
    const byDefault = { label: 'openai/gpt-4o', host: 'api.openai.com', sees: true, fallback: ['near'] };
    expect(offline('default')).toMatchObject(byDefault);
    expect(offline('judge')).toMatchObject(byDefault);
    expect(offline('ollama/a/b')).toMatchObject({ label: 'ollama/a/b', sees: undefined, fallback: [] });
    expect(offline('near')).toMatchObject({ label: 'ollama/m', host: '127.0.0.1:11434', sees: true });
    expect(offline('lost')).toMatchObject({ label: 'openai/m', host: '' });
  });

  it('is the stand-in where a step or a role says so, which is free and is shown anything', async () => {
    expect(offline('sketch')).toMatchObject({ label: 'sketch', sees: true, fallback: [] });
    expect(offline('stub')).toMatchObject({ label: 'sketch', sees: true, fallback: ['near'] });
    expect([await costs('sketch'), await costs('stub'), await costs('near')]).toEqual([0, 0, 0]);
    expect(await costs('default')).toBeGreaterThan(0);
  });

  it('is not told where only a run can', async () => {
    const unknown = describeOffline('default', { roles: new Map(), cwd: '/', env: {} });
    expect(unknown).toMatchObject({ label: undefined, sees: undefined, fallback: [] });
    expect(await unknown.price()).toBeUndefined();
    expect(await costs('lost')).toBeUndefined();
    expect(await costs('nobody/m')).toBeUndefined();
  });

  it('is what a key in the environment stands for, without asking its server', async () => {
    const byKey = (env: Record<string, string>) => describeOffline('default', { roles: new Map(), cwd: '/', env });
    const known = byKey({ OPENAI_API_KEY: 'k' });
    expect(known).toMatchObject({ label: 'openai/gpt-5-mini', host: 'api.openai.com' });
    expect((await known.price())?.({ inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 })).toBeGreaterThan(0);
    expect(byKey({ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' }).label).toBe('openai/m');
    const asked = byKey({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    expect([asked.label, asked.orElse]).toEqual([undefined, undefined]);
    expect(byKey({})).toMatchObject({ label: undefined, orElse: 'sketch' });
  });

  it('is what replaces every model, without fallbacks', async () => {
    for (const name of ['default', 'sketch', 'anthropic/m']) {
      expect(offline(name, 'near')).toMatchObject({ label: 'ollama/m', fallback: [] });
      expect(offline(name, 'sketch')).toMatchObject({ label: 'sketch' });
    }
    expect(() => offline('default', 'nonsense')).toThrow('"nonsense" names no model');
  });

  it('is what a run takes, wherever the run can take it', async () => {
    const env = { OPENAI_API_KEY: 'k' };
    const models = createModels({ roles: ROLES, env, detect: false, cwd: '/' });
    for (const name of ['default', 'judge', 'near', 'stub', 'sketch', 'openai/o3-mini', 'vllm/x']) {
      const { label, host, sees, fallback = [] } = await models.pick(name);
      const told = describeOffline(name, { roles: ROLES, cwd: '/', env });
      expect({ label: told.label, host: told.host, sees: told.sees, fallback: told.fallback }).toEqual({
        label,
        host,
        sees,
        fallback,
      });
    }
  });
});

it('tells of a role that cannot be used what it would be', () => {
  const role = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
  expect(describeRole(role, {})).toMatchObject({ label: 'anthropic/claude-sonnet-4-5', sees: true, fallback: [] });
});
