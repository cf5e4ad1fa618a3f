/** A turn of a simulated model as `turns` of a test. */
import { type JsonObject, jsonIn } from '../../core/json.js';
import type { ModelReply, ModelRequest } from '../../core/model.js';
import { PLAIN_USAGE } from './model-usage.js';

export function writtenTurn({ text, calls, finish, usage }: ModelReply, request: ModelRequest): JsonObject {
  const isAnswer = calls.length === 1 && calls[0]?.name === 'resolve' && finish === 'calls';
  const parsed = isAnswer ? jsonIn(calls[0]?.arguments ?? '') : request.format ? jsonIn(text) : undefined;
  const counts = usage && Number.isSafeInteger(usage.inputTokens + usage.outputTokens) && usage.inputTokens > 0;
  return {
    ...(parsed !== undefined
      ? { resolve: parsed }
      : {
          ...(text === '' ? {} : { text: text.replace(/ ?\[a\d+\]/, '') }),
          ...(calls.length > 0
            ? { calls: calls.map((call) => ({ name: call.name, arguments: jsonIn(call.arguments) ?? call.arguments })) }
            : {}),
          ...(finish === 'stop' || finish === 'calls' ? {} : { finish }),
        }),
    ...(counts && usage.inputTokens !== PLAIN_USAGE.inputTokens
      ? { usage: { input: usage.inputTokens, output: usage.outputTokens } }
      : {}),
  };
}
