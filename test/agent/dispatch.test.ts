import { expect, it } from 'vitest';
import { dispatch } from '../../src/agent/dispatch.js';
import type { StepContext } from '../../src/core/context.js';
import type { Tool, ToolResult } from '../../src/core/tool.js';

const context = {
  path: 'a',
  folders: { work: '/nowhere' },
  clock: { now: () => 0 },
  signal: new AbortController().signal,
  emit: async () => undefined,
} as unknown as StepContext;

function tool(name: string, result: ToolResult, order: string[] = []): Tool {
  return {
    spec: { name, description: '', parameters: { type: 'object' } },
    effect: 'none',
    async execute() {
      order.push(name);
      return result;
    },
  };
}
const call = (name: string, text = '{}') => ({ id: name, name, arguments: text });
const refusal: ToolResult = { type: 'error', text: 'no' };

it('knows the tool for answers by being it: a tool that is called resolve is a tool like any other', async () => {
  const order: string[] = [];
  const own = tool('resolve', refusal, order);
  const answer = tool('hand_in', { type: 'resolved', value: 7 }, order);
  const turn = await dispatch([call('hand_in'), call('resolve')], [own], answer, 1, context);
  expect(turn).toMatchObject({ resolved: { value: 7 }, refusals: [] });
  expect(order).toEqual(['resolve', 'hand_in']);
});

it('gives the tool for answers its name, whatever else has it', async () => {
  const own = tool('resolve', { type: 'text', text: 'mine' });
  const turn = await dispatch([call('resolve'), call('resolve', '{')], [own], tool('resolve', refusal), 1, context);
  expect(turn.refusals).toEqual(['Error: no', expect.stringContaining('not valid JSON')]);
});
