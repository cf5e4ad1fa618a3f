import { expect, it } from 'vitest';
import { dispatch } from '../../src/agent/dispatch.js';
import type { StepContext } from '../../src/core/context.js';
import type { Tool, ToolResult } from '../../src/core/tool.js';

const context = {
  path: 'a',
  folders: { work: '/nowhere' },
  redact: (text: string) => text,
  clock: { now: () => 0 },
  signal: new AbortController().signal,
  emit: async () => undefined,
} as unknown as StepContext;

const place = { round: 1, beforeEffects: async () => undefined };

function tool(name: string, result: ToolResult, order: string[] = [], effect: Tool['effect'] = 'none'): Tool {
  return {
    spec: { name, description: '', parameters: { type: 'object' } },
    effect,
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
  const turn = await dispatch([call('hand_in'), call('resolve')], [own], answer, place, context);
  expect(turn).toMatchObject({ resolved: { value: 7 }, refusals: [] });
  expect(order).toEqual(['resolve', 'hand_in']);
});

it('gives the tool for answers its name, whatever else has it', async () => {
  const own = tool('resolve', { type: 'text', text: 'mine' });
  const turn = await dispatch([call('resolve'), call('resolve', '{')], [own], tool('resolve', refusal), place, context);
  expect(turn.refusals).toEqual(['Error: no', expect.stringContaining('not valid JSON')]);
});

it('lets a call have an effect only once all before it is on disk, which nothing else waits for', async () => {
  const order: string[] = [];
  const text: ToolResult = { type: 'text', text: 'x' };
  const tools = [tool('write', text, order, 'write'), tool('run', text, order, 'process'), tool('read', text, order)];
  const answer = tool('resolve', { type: 'resolved', value: 1 }, order);
  const beforeEffects = async () => void order.push('synced');
  const calls = ['write', 'run', 'read', 'resolve'].map((name) => call(name));
  await dispatch(calls, tools, answer, { round: 1, beforeEffects }, context);
  expect(order.splice(0)).toEqual(['read', 'synced', 'write', 'run', 'resolve']);
  await dispatch([call('read'), call('resolve')], tools, answer, { round: 2, beforeEffects }, context);
  expect(order).toEqual(['read', 'resolve']);
});

it('executes no effect when what led to it cannot be brought to disk', async () => {
  const order: string[] = [];
  const write = tool('write', { type: 'text', text: 'x' }, order, 'write');
  const beforeEffects = () => Promise.reject(new Error('the disk is gone'));
  const turn = dispatch([call('write')], [write], tool('resolve', refusal), { round: 1, beforeEffects }, context);
  await expect(turn).rejects.toThrow('the disk is gone');
  expect(order).toEqual([]);
});
