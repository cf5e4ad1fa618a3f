import { describe, expect, it } from 'vitest';
import { dispatch, type Place } from '../../src/agent/dispatch.js';
import type { Ledger } from '../../src/agent/ledger.js';
import type { StepContext } from '../../src/core/context.js';
import type { Message } from '../../src/core/model.js';
import type { Tool, ToolResult } from '../../src/core/tool.js';

const context = {
  path: 'a',
  folders: { work: '/nowhere' },
  redact: (text: string) => text,
  clock: { now: () => 0 },
  signal: new AbortController().signal,
  emit: async () => undefined,
} as unknown as StepContext;

const place = placeOf(async () => undefined);

function placeOf(
  begins: Ledger['begins'],
  ended: Ledger['ended'] = () => undefined,
  earlier?: Ledger['earlier'],
): Place {
  return { round: 1, ledger: { earlier, begins, ended } };
}

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

it('performs the reads of a turn together, and gives results in the order of the calls', async () => {
  const order: string[] = [];
  let enter: () => void = () => undefined;
  const bothBegan = new Promise<void>((done) => {
    enter = done;
  });
  // Each waits for the other to begin: one at a time, neither would end.
  const read = (name: string): Tool => ({
    ...tool(name, refusal),
    async execute() {
      order.push(`${name} begins`);
      if (order.length === 2) enter();
      await bothBegan;
      if (name === 'first') await new Promise(setImmediate);
      order.push(`${name} ends`);
      return { type: 'text', text: name };
    },
  });
  const turn = await dispatch(
    [call('first'), call('second')],
    [read('first'), read('second')],
    undefined,
    place,
    context,
  );
  expect(order).toEqual(['first begins', 'second begins', 'second ends', 'first ends']);
  expect(turn.results.map(({ text }) => text)).toEqual(['first', 'second']);
});

it('takes of several answers in one turn the last that is valid', async () => {
  const answer: Tool = {
    ...tool('resolve', refusal),
    execute: async ({ n }) => (n === 3 ? refusal : { type: 'resolved', value: n ?? null }),
  };
  const calls = [1, 2, 3].map((n) => ({ id: `c${n}`, name: 'resolve', arguments: JSON.stringify({ n }) }));
  const turn = await dispatch(calls, [], answer, place, context);
  expect(turn).toMatchObject({ resolved: { value: 2 }, refusals: ['Error: no'] });
});

it('lets a call have an effect only once all before it is on disk, and writes down its outcome before the next', async () => {
  const order: string[] = [];
  const text: ToolResult = { type: 'text', text: 'x' };
  const tools = [tool('write', text, order, 'write'), tool('run', text, order, 'process'), tool('read', text, order)];
  const answer = tool('resolve', { type: 'resolved', value: 1 }, order);
  const noting = placeOf(
    async (at, known) => void order.push(`begins ${at} knowing ${[...known.keys()]}`),
    (at) => void order.push(`ended ${at}`),
  );
  const calls = ['write', 'run', 'read', 'resolve'].map((name) => call(name));
  await dispatch(calls, tools, answer, noting, context);
  expect(order.splice(0)).toEqual([
    'begins 0 knowing ',
    'write',
    'ended 0',
    'begins 1 knowing 0',
    'run',
    'ended 1',
    'read',
    'resolve',
  ]);
  await dispatch([call('read'), call('resolve')], tools, answer, noting, context);
  expect(order).toEqual(['read', 'resolve']);
});

it('executes no effect when what led to it cannot be brought to disk', async () => {
  const order: string[] = [];
  const write = tool('write', { type: 'text', text: 'x' }, order, 'write');
  const noDisk = placeOf(() => Promise.reject(new Error('the disk is gone')));
  const turn = dispatch([call('write')], [write], tool('resolve', refusal), noDisk, context);
  await expect(turn).rejects.toThrow('the disk is gone');
  expect(order).toEqual([]);
});

describe('a round that an earlier session began', () => {
  const known: Message = { role: 'tool', callId: 'write', name: 'write', text: 'as before', error: false };
  const calls = ['write', 'run', 'write', 'read', 'resolve'].map((name) => call(name));

  it('goes on behind the calls whose outcome is known', async () => {
    const { turn, order } = await goOn({ results: new Map([[0, known]]), reads: [], begun: new Set([0]) });
    expect(order).toEqual(['run', 'write', 'read', 'resolve']);
    expect(turn.results[0]).toEqual(known);
  });

  it('repeats no call whose outcome is unknown, begins none behind it, and says both to the model', async () => {
    const { turn, order } = await goOn({ results: new Map([[0, known]]), reads: [], begun: new Set([0, 1]) });
    expect(order).toEqual(['read', 'resolve']);
    expect(turn.results[1]).toMatchObject({ error: true, text: expect.stringContaining('Nobody knows whether') });
    expect(turn.results[2]).toMatchObject({ error: true, text: expect.stringContaining('not executed') });
  });

  it('keeps what was read, and does not read again what an effect may have changed since', async () => {
    const seen: Message = { ...known, callId: 'read', name: 'read', text: 'before the effect' };
    const read = { file: '/f', sha256: 'x' };
    const { turn, order } = await goOn({ results: new Map([[3, seen]]), reads: [read], begun: new Set([0]) });
    expect(order).toEqual(['resolve']);
    expect(turn.results[3]).toEqual(seen);
    expect(turn.reads).toEqual([read]);
  });

  async function goOn(earlier: Ledger['earlier']) {
    const order: string[] = [];
    const text: ToolResult = { type: 'text', text: 'x' };
    const tools = [tool('write', text, order, 'write'), tool('run', text, order, 'process'), tool('read', text, order)];
    const answer = tool('resolve', { type: 'resolved', value: 1 }, order);
    const turn = await dispatch(
      calls,
      tools,
      answer,
      placeOf(async () => undefined, undefined, earlier),
      context,
    );
    return { turn, order };
  }
});
