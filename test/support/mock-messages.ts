/** What Anthropic's Messages API streams, as replies of the mock server. */
import type { MockReply } from './mock-server.js';

/** One event of a stream, as an SSE frame. */
export function event(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const MESSAGE_STOP = event('message_stop');

export function messageStart(usage: object = { input_tokens: 10, output_tokens: 1 }): string {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'fake', content: [], stop_reason: null };
  return event('message_start', { message: { ...message, usage } });
}

export function messageDelta(stopReason: string, usage: object = { output_tokens: 2 }, more: object = {}): string {
  return event('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null, ...more }, usage });
}

/** A content block: how it begins, then its deltas. */
export function block(index: number, begun: object, ...deltas: readonly object[]): string[] {
  return [
    event('content_block_start', { index, content_block: begun }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

export function textBlock(index: number, ...pieces: readonly string[]): string[] {
  return block(index, { type: 'text', text: '' }, ...pieces.map((text) => ({ type: 'text_delta', text })));
}

export function thinkingBlock(index: number, signature: string, ...pieces: readonly string[]): string[] {
  return block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature },
  );
}

export function toolBlock(index: number, id: string, name: string, ...pieces: readonly string[]): string[] {
  const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return block(index, { type: 'tool_use', id, name, input: {} }, ...deltas);
}

export function messageReply(text: string): MockReply {
  return { frames: [messageStart(), ...textBlock(0, text), messageDelta('end_turn'), MESSAGE_STOP] };
}

/** A turn that calls tools: each call is `[id, name, arguments]`. */
export function toolReply(...calls: readonly (readonly [id: string, name: string, args: object])[]): MockReply {
  const blocks = calls.flatMap(([id, name, args], index) => toolBlock(index, id, name, JSON.stringify(args)));
  return { frames: [messageStart(), ...blocks, messageDelta('tool_use'), MESSAGE_STOP] };
}

export function messagesError(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): MockReply {
  return { status, headers, body: JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' }) };
}
