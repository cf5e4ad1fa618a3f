/** Chat Completions answers for the mock server, and what its requests held. */
import type { Json, JsonObject } from '../../src/core/json.js';
import type { MockReply, MockRequest } from './mock-server.js';

interface Call {
  readonly name: string;
  /** An object, or the text as it is sent. */
  readonly args: Json;
}

/** One streamed turn: text, calls, or both. */
export function turn(parts: {
  readonly text?: string;
  readonly calls?: readonly Call[];
  readonly finish?: string;
}): MockReply {
  const { text, calls = [], finish = calls.length > 0 ? 'tool_calls' : 'stop' } = parts;
  const chunk = (delta: JsonObject, reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  return {
    frames: [
      ...(text === undefined ? [] : [chunk({ content: text }, null)]),
      ...calls.map(({ name, args }, index) =>
        chunk(
          {
            tool_calls: [
              {
                index,
                id: `call_${index}`,
                type: 'function',
                function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
              },
            ],
          },
          null,
        ),
      ),
      chunk({}, finish),
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`,
      'data: [DONE]\n\n',
    ],
  };
}

export const resolve = (args: Json): MockReply => turn({ calls: [{ name: 'resolve', args }] });

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string; readonly tool_call_id?: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

export function bodyOf(request: MockRequest | undefined): ChatRequest {
  return JSON.parse(request?.body ?? '{}') as ChatRequest;
}

export function toolNames(request: MockRequest | undefined): string[] {
  return bodyOf(request).tools.map((tool) => tool.function.name);
}

export function lastText(request: MockRequest | undefined): string {
  return bodyOf(request).messages.at(-1)?.content ?? '';
}
