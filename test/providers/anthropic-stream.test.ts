import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { Delta, ModelReply } from '../../src/core/model.js';
import { createMessageAssembler } from '../../src/providers/anthropic-stream.js';
import { idsBeside } from '../../src/providers/call-ids.js';
import { createSseReader } from '../../src/providers/sse.js';
import {
  block,
  event,
  MESSAGE_STOP,
  messageDelta,
  messageStart,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../support/mock-messages.js';

function assemble(pieces: readonly Uint8Array[]): { reply: ModelReply; deltas: Delta[] } {
  const deltas: Delta[] = [];
  const assembler = createMessageAssembler({
    label: 'host',
    uniqueId: idsBeside([]),
    onDelta: (delta) => void deltas.push(delta),
  });
  const reader = createSseReader();
  for (const piece of pieces) for (const one of reader.push(piece)) assembler.push(one);
  for (const one of reader.end()) assembler.push(one);
  return { reply: assembler.finish(), deltas };
}
const reply = (...frames: readonly string[]) => assemble(frames.map((frame) => Buffer.from(frame))).reply;

function faultOf(...frames: readonly (string | Uint8Array)[]) {
  try {
    return assemble(frames.map((frame) => Buffer.from(frame))).reply;
  } catch (error) {
    if (error instanceof Fault) return error.data;
    throw error;
  }
}

const USAGE = { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 };
const FRAMES = [
  messageStart(USAGE),
  event('ping'),
  ...thinkingBlock(0, 'c2ln', 'Zuerst ', 'überlegen…'),
  ...block(1, { type: 'redacted_thinking', data: 'opaque' }),
  ...textBlock(2, 'Grüße ', '🙂.'),
  ...toolBlock(3, 'toolu_1', 'read_file', '{"pa', 'th":"ä.md"}'),
  ...toolBlock(4, 'toolu_2', 'list_files'),
  messageDelta('tool_use', { output_tokens: 42 }),
  MESSAGE_STOP,
];
const WHOLE: ModelReply = {
  text: 'Grüße 🙂.',
  calls: [
    { id: 'toolu_1', name: 'read_file', arguments: '{"path":"ä.md"}' },
    { id: 'toolu_2', name: 'list_files', arguments: '{}' },
  ],
  reasoning: 'Zuerst überlegen…',
  finish: 'calls',
  blocks: [
    { type: 'thinking', thinking: 'Zuerst überlegen…', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'text', text: 'Grüße 🙂.' },
    { type: 'tool_use', id: 'toolu_1' },
    { type: 'tool_use', id: 'toolu_2' },
  ],
  usage: { inputTokens: 123, outputTokens: 42, cachedTokens: 100, cacheWrittenTokens: 20 },
};
const BYTES = Buffer.from(FRAMES.join(''));

describe('a stream with thinking, text and two calls', () => {
  it('comes to the same reply wherever it is split once', () => {
    for (let at = 0; at <= BYTES.length; at++) {
      expect(assemble([BYTES.subarray(0, at), BYTES.subarray(at)]).reply).toEqual(WHOLE);
    }
  });

  it('comes to the same reply split at any set of bytes, and byte by byte', () => {
    expect(assemble([...BYTES].map((byte) => Uint8Array.of(byte))).reply).toEqual(WHOLE);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(BYTES.length), { maxLength: 30 }), (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), BYTES.length];
        const pieces = ends.map((end, i) => BYTES.subarray(ends[i - 1] ?? 0, end));
        expect(assemble(pieces).reply).toEqual(WHOLE);
      }),
      { numRuns: 100 },
    );
  });

  it('is never half an answer when it ends after any of its events, or inside one', () => {
    const last = FRAMES.length - 2;
    for (let kept = 0; kept < last; kept++) {
      expect(faultOf(...FRAMES.slice(0, kept))).toMatchObject({ code: 'provider.protocol' });
    }
    expect(faultOf(...FRAMES.slice(0, last + 1))).toEqual(WHOLE);
    const end = Buffer.from(FRAMES.slice(0, last + 1).join('')).length - 3;
    for (let at = 0; at < end; at++) {
      expect(faultOf(BYTES.subarray(0, at))).toMatchObject({ code: 'provider.protocol' });
    }
  });

  it('is shown piece by piece, thoughts apart from text', () => {
    expect(assemble([BYTES]).deltas).toEqual([
      { type: 'reasoning', text: 'Zuerst ' },
      { type: 'reasoning', text: 'überlegen…' },
      { type: 'text', text: 'Grüße ' },
      { type: 'text', text: '🙂.' },
    ]);
  });
});

describe('how it finishes', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['something_new', 'stop'],
  ])('%s without a call is %s', (reason, finish) => {
    expect(reply(messageStart(), ...textBlock(0, 'A'), messageDelta(reason), MESSAGE_STOP).finish).toBe(finish);
  });

  it('is decided by the calls that are there', () => {
    const { finish } = reply(messageStart(), ...toolBlock(0, 'a', 'f', '{}'), messageDelta('end_turn'), MESSAGE_STOP);
    expect(finish).toBe('calls');
  });

  it('keeps what max_tokens cut off of a call as text, and says so', () => {
    const cut = reply(messageStart(), ...toolBlock(0, 'a', 'f', '{"n":'), messageDelta('max_tokens'), MESSAGE_STOP);
    expect(cut).toMatchObject({ finish: 'length', calls: [{ id: 'a', name: 'f', arguments: '{"n":' }] });
  });

  it('drops a thought that has no signature yet: it would be refused', () => {
    const thought = block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'hm' },
    );
    const cut = reply(messageStart(), ...thought, messageDelta('max_tokens'), MESSAGE_STOP);
    expect(cut).toMatchObject({ finish: 'length', reasoning: 'hm' });
    expect(cut).not.toHaveProperty('blocks');
  });

  it('runs nothing of a refusal, and says why it was', () => {
    const why = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'Not this.' } };
    const refused = reply(
      messageStart(),
      ...toolBlock(0, 'a', 'f', '{}'),
      messageDelta('refusal', { output_tokens: 1 }, why),
      MESSAGE_STOP,
    );
    expect(refused).toMatchObject({ finish: 'refusal', calls: [], text: 'Not this.' });
  });

  it('needs no message_stop after the reason to stop', () => {
    expect(reply(messageStart(), ...textBlock(0, 'A'), messageDelta('end_turn')).text).toBe('A');
  });
});

describe('details of servers', () => {
  it('a call that comes in one piece has its input in its beginning', () => {
    const whole = block(0, { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } });
    const { calls } = reply(messageStart(), ...whole, messageDelta('tool_use'), MESSAGE_STOP);
    expect(calls).toEqual([{ id: 'a', name: 'f', arguments: '{"n":1}' }]);
  });

  it('repeated and missing ids are made unique; unknown fields of a call are kept', () => {
    const frames = [
      ...toolBlock(0, 'a', 'f', '{}'),
      ...toolBlock(1, 'a', 'f', '{}'),
      ...block(2, { type: 'tool_use', name: 'g', input: {}, caller: { type: 'direct' } }),
    ];
    const { calls } = reply(messageStart(), ...frames, messageDelta('tool_use'), MESSAGE_STOP);
    expect(calls).toEqual([
      { id: 'a', name: 'f', arguments: '{}' },
      { id: 'a_2', name: 'f', arguments: '{}' },
      { id: 'call_3', name: 'g', arguments: '{}', extra: { caller: { type: 'direct' } } },
    ]);
  });

  it('usage that was not said is unknown, not 0', () => {
    const silent = reply(messageStart({}), ...textBlock(0, 'A'), messageDelta('end_turn'), MESSAGE_STOP);
    expect(silent).not.toHaveProperty('usage');
    const half = reply(messageStart(), ...textBlock(0, 'A'), messageDelta('end_turn', {}), MESSAGE_STOP);
    expect(half).not.toHaveProperty('usage');
  });

  it('events need no names, and unknown ones mean nothing', () => {
    const frames = [messageStart(), event('future'), ...textBlock(0, 'A'), messageDelta('end_turn'), MESSAGE_STOP];
    expect(reply(...frames.map((frame) => frame.replace(/^event: .*\n/, ''))).text).toBe('A');
  });
});

describe('what is no answer', () => {
  const failure = (type: string, message = 'these words') => event('error', { error: { type, message } });

  it.each([
    ['overloaded_error', 'provider.overloaded'],
    ['rate_limit_error', 'provider.overloaded'],
    ['api_error', 'provider.overloaded'],
    ['invalid_request_error', 'provider.refused'],
    ['authentication_error', 'provider.refused'],
    ['billing_error', 'provider.exhausted'],
  ])('an error event with %s is %s, with its words, wherever it stands', (type, code) => {
    for (const at of [0, 1, 5, FRAMES.length - 1]) {
      const data = faultOf(...FRAMES.slice(0, at), failure(type));
      expect(data).toMatchObject({ code, message: expect.stringContaining('these words') });
    }
  });

  it('an empty stream, a piece of a block that never began, a call without a name, an event that is no JSON', () => {
    const message = (...frames: readonly string[]) => faultOf(...frames);
    const protocol = (words: string) => ({ code: 'provider.protocol', message: expect.stringContaining(words) });
    expect(message()).toMatchObject(protocol('empty response'));
    expect(message(event('ping'), MESSAGE_STOP)).toMatchObject(protocol('empty response'));
    expect(message(messageStart(), event('content_block_delta', { index: 7, delta: {} }))).toMatchObject(
      protocol('never began'),
    );
    const nameless = block(0, { type: 'tool_use', id: 'a', input: {} });
    expect(message(messageStart(), ...nameless, messageDelta('tool_use'), MESSAGE_STOP)).toMatchObject(
      protocol('without a name'),
    );
    expect(message('event: message_start\ndata: {"type":\n\n')).toMatchObject(protocol('not a JSON object'));
  });
});
