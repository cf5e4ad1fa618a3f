import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
import type { ModelRole } from '../../src/core/model-config.js';
import { createModels } from '../../src/providers/models.js';
import { pickForPlan } from '../../src/providers/plan-models.js';
import { planOf, planWith } from '../support/plans.js';

const plan = (limits = '') =>
  planOf(`
version: 1
name: dear
description: Dear.
${limits}
steps:
  - id: look
    agent: { instructions: You., prompt: x, model: openai/gpt-5-mini }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }
`);

const env = { OPENAI_API_KEY: 'k' };
const PRICE = { input: 1, output: 2 };
const own: Provider = { name: 'own', complete: () => Promise.reject(new Error('unused')) };
const models = (roles: Record<string, ModelRole> = {}, flagModel?: string) =>
  createModels({ roles: new Map(Object.entries(roles)), env, detect: false, cwd: '/', flagModel, providers: { own } });
const asking = async (names: readonly string[], limits?: string) => planWith(await plan(limits), { models: names });

describe('a limit in usd', () => {
  const LIMIT = 'limits: { usd: 1 }';

  it('is taken with models whose price is listed, configured, or nothing', async () => {
    const roles = { far: { provider: 'openai', model: 'm', baseUrl: 'https://far.example/v1', price: PRICE } };
    const all = ['openai/gpt-5-mini', 'far', 'ollama/any', 'sketch'];
    expect((await pickForPlan(await asking(all, LIMIT), models(roles))).main?.label).toBe('openai/gpt-5-mini');
    expect((await pickForPlan(await asking(['x'], LIMIT), models({}, 'own'))).main?.label).toBe('own');
  });

  it.each([
    ['the model', ['openai/no-such'], []],
    ['a provider of the program', ['own/no-such'], []],
    ['a fallback', ['openai/gpt-5-mini'], ['openai/no-such']],
  ])('is refused when nobody knows the price of %s', async (_, names, fallback) => {
    const asked = planWith(await asking(names, LIMIT), { fallback });
    await expect(pickForPlan(asked, models())).rejects.toMatchObject({
      data: {
        code: 'config.invalid',
        message: expect.stringMatching(
          /"dear" has a limit in usd, but the price of (openai|own)\/no-such is not known/,
        ),
        hint: expect.stringContaining('price: { input: 2, output: 10 }'),
      },
    });
  });

  it('is refused for the fallback of a role, unless the step names others', async () => {
    const roles = { main: { provider: 'openai', model: 'gpt-5-mini', fallback: ['openai/no-such'] } };
    await expect(pickForPlan(await asking(['main'], LIMIT), models(roles))).rejects.toThrow('openai/no-such');
    const named = planWith(await asking(['main'], LIMIT), { fallback: ['ollama/any'] });
    expect((await pickForPlan(named, models(roles))).main?.label).toBe('openai/gpt-5-mini');
  });

  it('that is not there asks for no price', async () => {
    expect((await pickForPlan(await asking(['openai/no-such']), models())).main?.label).toBe('openai/no-such');
  });
});

describe('a step that shows images', () => {
  const showing = async (names: readonly string[]) => planWith(await asking(names), { images: true });

  it('is taken with a model that sees, by its name or its role, and with a stand-in', async () => {
    const roles = { eyes: { provider: 'ollama', model: 'm', images: true } };
    const { all } = await pickForPlan(await showing(['openai/gpt-5-mini', 'eyes', 'sketch']), models(roles));
    expect(all.map(({ label }) => label)).toEqual(['openai/gpt-5-mini', 'ollama/m', 'sketch']);
  });

  it.each([
    [['openai/o3-mini'], {}, 'step "look" shows images to its model, but openai/o3-mini takes no images'],
    [['ollama/m'], {}, 'step "look" shows images to its model, but ollama/m is not known to take images'],
    [['blind'], {}, 'openai/gpt-5-mini takes no images'],
    [['openai/gpt-5-mini'], { fallback: ['ollama/m'] }, 'ollama/m is not known to take images'],
  ])('is refused with %j %j', async (names, more, message) => {
    const roles = { blind: { provider: 'openai', model: 'gpt-5-mini', images: false } };
    await expect(pickForPlan(planWith(await showing(names), more), models(roles))).rejects.toMatchObject({
      data: {
        code: 'config.invalid',
        message: expect.stringContaining(message),
        hint: expect.stringContaining('images: true'),
      },
    });
  });
});

describe('a fallback', () => {
  it('that cannot be used is a notice, and no error', async () => {
    const asked = planWith(await plan(), { fallback: ['anthropic/claude', 'ollama/m'] });
    const { notices, all } = await pickForPlan(asked, models());
    expect(notices).toEqual([
      'fallback "anthropic/claude" cannot be used: There is no key for api.anthropic.com: ANTHROPIC_API_KEY is not set.',
    ]);
    expect(all.map(({ label }) => label)).toEqual(['openai/gpt-5-mini']);
  });

  it('of a role is what the model has, after the role that could not be used itself', async () => {
    const roles = {
      a: { provider: 'anthropic', model: 'c', fallback: ['b', 'ollama/m'] },
      b: { provider: 'openai', model: 'm', fallback: ['a', 'ollama/n'] },
    };
    expect((await models(roles).pick('b')).fallback).toEqual(['a', 'ollama/n']);
    expect(await models(roles).pick('a')).toMatchObject({ label: 'openai/m', fallback: ['ollama/n', 'ollama/m'] });
  });

  it('is none of a model that replaces every model', async () => {
    const roles = { a: { provider: 'openai', model: 'm', fallback: ['ollama/n'] } };
    expect((await models(roles, 'a').pick('x')).fallback).toBeUndefined();
  });
});

it('tells of a model what its context is: by its role, its server, the price list', async () => {
  const roles = { small: { provider: 'openai', model: 'gpt-5-mini', contextTokens: 9_000 } };
  const contextOf = async (name: string) => {
    const { contextTokens, listedContext } = await models(roles).pick(name);
    return contextTokens ?? (await listedContext?.());
  };
  expect(await contextOf('small')).toBe(9_000);
  expect(await contextOf('ollama/m')).toBe(4_096);
  expect(await contextOf('openai/gpt-5-mini')).toBeGreaterThan(100_000);
  expect(await contextOf('vllm/m')).toBeUndefined();
});
