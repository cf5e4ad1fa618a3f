import { describe, expect, it } from 'vitest';
import { type Conversation, converse } from '../../src/agent/converse.js';
import { digestOf } from '../../src/agent/guards.js';
import { modelLine } from '../../src/agent/model-line.js';
import type { StepContext } from '../../src/core/context.js';
import type { StepEvent } from '../../src/core/events.js';
import { Fault } from '../../src/core/faults.js';
import type { Message } from '../../src/core/model.js';
import type { Tool, ToolResult } from '../../src/core/tool.js';
import { calling, chosen, type Turn, voice } from '../support/voice.js';

function tool(
  name: string,
  result: ToolResult | ((n: number) => Promise<ToolResult>),
  effect: Tool['effect'] = 'none',
): Tool {
  let times = 0;
  return {
    spec: { name, description: '', parameters: { type: 'object' } },
    effect,
    execute: async () => (typeof result === 'function' ? result(++times) : result),
  };
}

const text = (said: string): ToolResult => ({ type: 'text', text: said });

function talk(turns: readonly Turn[], tools: readonly Tool[], more: Partial<Conversation> = {}) {
  const messages: Message[] = [{ role: 'user', text: 'go' }];
  const events: StepEvent[] = [];
  const stop = new AbortController();
  const provider = voice(turns);
  const context = {
    path: 'chat',
    folders: { work: '/nowhere' },
    redact: (said: string) => said,
    clock: { now: () => 0, sleep: async () => undefined },
    signal: stop.signal,
    random: () => 0.5,
    hold: () => () => undefined,
    onDelta: () => undefined,
    emit: async (event: StepEvent) => void events.push(event),
    budget: { reserve: async () => ({ settle: () => undefined }), limitsUsd: false },
  } as unknown as StepContext;
  const ended = converse(
    {
      system: 'be brief',
      tools,
      line: modelLine(chosen(provider), [], async () => chosen(provider)),
      history: {
        messages: () => messages,
        add: (added) => void messages.push(...added),
        makeRoom: async () => undefined,
        makesRoomAfter: async () => false,
      },
      maxRounds: 10,
      deadLoopWindow: 3,
      idleTimeoutMs: 1_000,
      ...more,
    },
    context,
  );
  return { ended, messages, events, stop, provider };
}

const roles = (messages: readonly Message[]) =>
  messages.map((one) => (one.role === 'tool' ? `${one.name}${one.error ? '!' : ''}` : one.role));

describe('a conversation', () => {
  it('goes on while the model calls, and ends when it answers without a call', async () => {
    const { ended, messages, events, provider } = talk(
      [calling(['look', {}]), { text: 'Seen.' }],
      [tool('look', text('a file'))],
    );
    expect(await ended).toEqual({ type: 'answered', text: 'Seen.', rounds: 2 });
    expect(roles(messages)).toEqual(['user', 'assistant', 'look', 'assistant']);
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'a file' });
    expect(events.filter(({ type }) => type === 'round')).toHaveLength(2);
  });

  it('gives each call of a turn one result, in the order of the calls, whatever becomes of it', async () => {
    const thrower = tool('breaks', async () => {
      throw new Error('broken pipe');
    });
    const calls = calling(['breaks', {}], ['nobody', {}], ['look', '{'], ['look', {}]);
    const { ended, messages } = talk([calls, { text: 'ok' }], [thrower, tool('look', text('seen'))]);
    await ended;
    const results = messages.flatMap((one) => (one.role === 'tool' ? [one] : []));
    expect(results.map(({ callId }) => callId)).toEqual(calls.calls?.map(({ id }) => id));
    expect(results.map((one) => one.text)).toEqual([
      'Error: breaks failed: broken pipe',
      'Error: "nobody" is not a tool of this step; nothing was executed. Its tools are: breaks, look.',
      expect.stringContaining('the arguments of look are not valid JSON'),
      'seen',
    ]);
  });

  it('has a result for each call also when it is stopped in the middle of them', async () => {
    const { ended, messages, stop } = talk(
      [calling(['look', {}], ['write', {}], ['hangs', {}], ['write', {}])],
      [
        tool('look', text('seen')),
        tool('write', text('written'), 'write'),
        tool(
          'hangs',
          async () => {
            stop.abort(new Fault('run.cancelled', 'stopped'));
            throw stop.signal.reason;
          },
          'process',
        ),
      ],
    );
    await expect(ended).rejects.toThrow('stopped');
    expect(messages.slice(2).map((one) => one.text)).toEqual([
      'seen',
      'written',
      expect.stringContaining('Nobody knows whether it took effect'),
      expect.stringContaining('stopped you before this call had a result'),
    ]);
    expect(roles(messages)).toEqual(['user', 'assistant', 'look', 'write', 'hangs!', 'write!']);
  });

  it('adds nothing of an answer that is stopped while the model speaks', async () => {
    const { ended, messages, stop } = talk(
      [
        async (_, signal) => {
          stop.abort(new Fault('run.cancelled', 'stopped'));
          throw signal.reason;
        },
      ],
      [],
    );
    await expect(ended).rejects.toThrow('stopped');
    expect(roles(messages)).toEqual(['user']);
  });

  it('asks again with less when the model says it was too much and room can be made', async () => {
    let made = 0;
    const messages: Message[] = [{ role: 'user', text: 'long' }];
    const { ended } = talk([new Fault('provider.refused', 'maximum context length'), { text: 'ok' }], [], {
      history: {
        messages: () => messages,
        add: () => undefined,
        makeRoom: async () => undefined,
        makesRoomAfter: async () => ++made === 1,
      },
    });
    expect(await ended).toMatchObject({ type: 'answered' });
    expect(made).toBe(1);
  });
});

describe('its guards', () => {
  it('warn before the third same round, stop at it, and leave the history whole', async () => {
    const { ended, messages } = talk([calling(['look', { path: 'a' }])], [tool('look', text('same'))]);
    await expect(ended).rejects.toMatchObject({ data: { code: 'agent.dead_loop' } });
    expect(roles(messages)).toEqual(['user', 'assistant', 'look', 'assistant', 'look', 'user', 'assistant', 'look']);
    expect(messages[5]?.text).toContain('Once more and you are stopped');
  });

  it('come in this order: no call, the same again, the limit of rounds', async () => {
    const again = calling(['look', { path: 'a' }]);
    const look = [tool('look', text('same'))];
    // Each turn meets what comes later as well.
    const answered = talk([again, again, { text: 'Enough.' }], look, { maxRounds: 3 });
    expect(await answered.ended).toMatchObject({ type: 'answered', text: 'Enough.', rounds: 3 });
    const both = talk([again], look, { maxRounds: 3 });
    await expect(both.ended).rejects.toMatchObject({ data: { code: 'agent.dead_loop' } });
    const limited = talk([again], look, { maxRounds: 2 });
    await expect(limited.ended).rejects.toMatchObject({ data: { code: 'agent.rounds' } });
  });

  it('take A, B, A, B for a loop, and polling for none', async () => {
    const [a, b] = [calling(['look', { path: 'a' }]), calling(['look', { path: 'b' }])];
    const looping = talk([a, b, a, b, a, b, { text: 'never' }], [tool('look', text('same'))]);
    await expect(looping.ended).rejects.toMatchObject({ data: { code: 'agent.dead_loop' } });
    const polling = talk([a, a, a, a, { text: 'ready' }], [tool('look', async (n) => text(`try ${n}`))]);
    expect(await polling.ended).toMatchObject({ text: 'ready', rounds: 5 });
  });

  it('are off with a window of 0, and the limit of rounds stands', async () => {
    const { ended, provider } = talk([calling(['look', {}])], [tool('look', text('same'))], {
      deadLoopWindow: 0,
      maxRounds: 4,
    });
    await expect(ended).rejects.toMatchObject({ data: { code: 'agent.rounds' } });
    expect(provider.requests).toHaveLength(4);
  });

  it('execute nothing of a turn that was cut off, and end after three of them', async () => {
    const cut = { ...calling(['write', '{"path":']), finish: 'length' as const };
    const { ended, messages } = talk([cut], [tool('write', text('written'), 'write')]);
    await expect(ended).rejects.toMatchObject({ data: { code: 'agent.truncated' } });
    expect(messages[2]).toMatchObject({ role: 'tool', error: true, text: expect.stringContaining('cut off') });
  });

  it('name an answer that was cut off, or refused', async () => {
    expect(await talk([{ text: 'half', finish: 'length' }], []).ended).toMatchObject({ type: 'cut' });
    expect(await talk([{ text: 'no', finish: 'refusal' }], []).ended).toMatchObject({ type: 'refused' });
  });

  it('tell rounds apart by the 64-bit FNV-1a digest of their calls', () => {
    expect(digestOf([])).toBe('cbf29ce484222325');
    expect(digestOf([{ name: 'read_file', arguments: '{"path":"a"}' }])).toBe('250752ff800338c3');
  });
});
