import { expect, it } from 'vitest';
import { modelNames, refuseUnpriced } from '../../src/core/asked-models.js';
import { planOf } from '../support/plans.js';

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

it('refuses a limit in usd, also of a step, as soon as one model is behind an address', async () => {
  const limited = await plan('limits: { usd: 1 }');
  expect(() => refuseUnpriced(limited, ['openai/some'])).toThrow('the price of openai/some is not known');
  expect(() => refuseUnpriced(limited, [])).not.toThrow();
  expect(() => refuseUnpriced({ ...limited, steps: [] }, ['openai/some'])).not.toThrow();
});

it('names the models of steps at any depth', async () => {
  expect([...modelNames(await plan('title: Ask'))]).toEqual(['openai/some']);
});
