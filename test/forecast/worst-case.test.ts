import { expect, it } from 'vitest';
import { worstCase } from '../../src/forecast/worst-case.js';
import { planOf } from '../support/plans.js';

const ANSWER = '{ type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }';

it('multiplies rounds of the agent, attempts, items and repetitions, nested', async () => {
  const plan = await planOf(`
version: 1
name: worst
description: Nested bounds.
inputs: { list: { type: array, maxItems: 5, default: [], items: { type: string } } }
models: [judge]
limits: { tokens: 250000, time: 60m }
steps:
  - id: outer
    repeat: { until: output.draft.ok, max: 3 }
    retry: { attempts: 2 }
    steps:
      - id: draft
        agent: { instructions: You draft., prompt: x, max_rounds: 7 }
        output: ${ANSWER}
      - id: each
        foreach: inputs.list
        retry: { attempts: 4 }
        agent: { instructions: You judge., prompt: "\${{ item }}", max_rounds: 2, model: judge }
        output: ${ANSWER}
      - id: look
        foreach: inputs.list
        shell: { run: echo }
`);
  const worst = worstCase(plan);
  expect(worst).toMatchObject({ calls: 3 * 2 * (7 + 5 * 4 * 2), processes: 3 * 2 * 5, limits: { tokens: 250_000 } });
  expect(worst.callsByModel).toEqual({ default: 42, judge: 240 });
});

it('counts the program of an agent, also where a model may be asked for the form of its answer', async () => {
  const plan = await planOf(`
version: 1
name: programs
description: Programs.
steps:
  - id: form
    retry: { attempts: 3 }
    agent: { adapter: command, command: [other, -p], prompt: x }
    output: ${ANSWER}
  - id: text
    agent: { adapter: command, command: [other, -p], prompt: x }
    output: { type: string }
`);
  expect(worstCase(plan)).toMatchObject({ calls: 3 * 2, processes: 3 + 1 });
});

it('counts the items that there are, where somebody knows', async () => {
  const plan = await planOf(`
version: 1
name: items
description: Items.
inputs: { list: { type: array, maxItems: 900, default: [], items: { type: string } } }
steps:
  - id: each
    foreach: inputs.list
    agent: { instructions: You judge., prompt: "\${{ item }}", max_rounds: 2 }
    output: ${ANSWER}
`);
  expect(worstCase(plan).calls).toBe(1_800);
  expect(worstCase(plan, () => 3).calls).toBe(6);
  expect(worstCase(plan, () => 0)).toMatchObject({ calls: 0, callsByModel: {} });
});

it('stays a number that is exact when bounds multiply beyond all counting', async () => {
  const inner = (depth: number): string =>
    depth === 0
      ? `[{ id: s0, agent: { instructions: You., prompt: x, max_rounds: 10000 }, output: ${ANSWER} }]`
      : `[{ id: s${depth}, repeat: { until: "true", max: 100 }, retry: { attempts: 100 }, steps: ${inner(depth - 1)} }]`;
  const plan = await planOf(`{ version: 1, name: deep, description: Deep., steps: ${inner(5)} }`);
  expect(worstCase(plan).calls).toBe(Number.MAX_SAFE_INTEGER);
});
