import { expect, it } from 'vitest';
import {
  askingSteps,
  blindness,
  fallbackOf,
  modelNames,
  refuseBlind,
  refuseUnpriced,
} from '../../src/core/asked-models.js';
import { planOf, planWith } from '../support/plans.js';

const plan = (limits: string) =>
  planOf(`
version: 1
name: dear
description: Dear.
steps:
  - id: group
    steps:
      - id: ask
        ${limits}
        agent: { instructions: You., prompt: x, model: openai/some }
        output: { type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }
`);

it('refuses a limit in usd, also of a step, as soon as the price of one model is not known', async () => {
  const limited = await plan('limits: { usd: 1 }');
  expect(() => refuseUnpriced(limited, ['openai/some'])).toThrow('the price of openai/some is not known');
  expect(() => refuseUnpriced(limited, [])).not.toThrow();
  expect(() => refuseUnpriced({ ...limited, steps: [] }, ['openai/some'])).not.toThrow();
});

it('names the models of steps at any depth', async () => {
  expect([...modelNames(await plan('title: Ask'))]).toEqual(['openai/some']);
});

it('names what each step asks, but for what an expression names', async () => {
  const { steps, ...rest } = await plan('title: Ask');
  const named = planWith({ steps, ...rest }, { models: ['a', '${{ inputs.model }}'], fallback: ['b'], images: true });
  expect(askingSteps(named)).toEqual([{ id: 'ask', models: ['a'], fallback: ['b'], images: true }]);
});

it('refuses images for a model that does not see, or of which nobody knows', () => {
  expect(() => refuseBlind('look', { label: 'openai/a', sees: true })).not.toThrow();
  expect(() => refuseBlind('look', { label: 'openai/a', sees: false })).toThrow(
    'step "look" shows images to its model, but openai/a',
  );
  expect(() => refuseBlind('look', { label: 'openai/a' })).toThrow('is not known to take images');
});

it('says of a model that is to be shown images why it may not be', () => {
  expect(blindness({ label: 'openai/a', sees: true })).toBeUndefined();
  expect(blindness({ label: 'openai/a', sees: false })).toBe('openai/a takes no images');
  expect(blindness({ label: 'openai/a', sees: undefined })).toBe('openai/a is not known to take images');
});

it('takes the fallbacks of a step, and those of its models where it names none', () => {
  const ofName = (name: string) => ({ a: ['b', 'c'] })[name];
  const step = { id: 'look', images: false, models: ['a', 'z'], fallback: [] };
  expect(fallbackOf(step, ofName)).toEqual(['b', 'c']);
  expect(fallbackOf({ ...step, fallback: ['d'] }, ofName)).toEqual(['d']);
});
