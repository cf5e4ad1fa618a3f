/** A turn that the Messages API pauses (`pause_turn`): it goes on with what was said so far, and is one reply in the end. */
import { Fault } from '../core/faults.js';
import type { JsonObject } from '../core/json.js';
import type { Message, ModelReply, ModelRequest, Usage } from '../core/model.js';

/** A reply, or the part of one that came before a pause. */
export interface Part {
  readonly reply: ModelReply;
  /** Its blocks as the API takes them back, if it was paused. */
  readonly paused?: readonly JsonObject[];
}

/** A service pauses after some ten calls of its own tools. */
const MOST_PAUSES = 10;

/** No request is sent twice: each holds what the last one brought. */
export async function wholeTurn(
  request: ModelRequest,
  label: string,
  ask: (request: ModelRequest) => Promise<Part>,
): Promise<ModelReply> {
  const before: Part[] = [];
  const said: Message[] = [];
  for (;;) {
    const part = await ask(said.length === 0 ? request : { ...request, messages: [...request.messages, ...said] });
    const { reply, paused } = part;
    if (!paused) return before.length === 0 ? reply : joined(before, reply);
    before.push(part);
    if (paused.length === 0 || before.length > MOST_PAUSES) throw endless(label, before.length);
    said.push({ role: 'assistant', text: reply.text, calls: [], blocks: paused });
  }
}

function joined(before: readonly Part[], last: ModelReply): ModelReply {
  const { blocks: _blocks, reasoning: _reasoning, usage: _usage, ...rest } = last;
  const replies = [...before.map(({ reply }) => reply), last];
  const text = replies.map((reply) => reply.text).join('');
  const reasoning = replies.map((reply) => reply.reasoning ?? '').join('');
  const usage = sumOf(replies.map((reply) => reply.usage));
  const blocks = [...before.flatMap(({ paused }) => paused ?? []), ...(last.blocks ?? plainBlocks(last))];
  return {
    ...rest,
    text,
    blocks,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(usage ? { usage } : {}),
  };
}

function plainBlocks({ text, calls }: ModelReply): JsonObject[] {
  const words = text.trim() === '' ? [] : [{ type: 'text', text }];
  return [...words, ...calls.map(({ id }) => ({ type: 'tool_use', id }))];
}

/** Unknown if that of any part is. */
function sumOf(usages: readonly (Usage | undefined)[]): Usage | undefined {
  return usages.reduce((sum, usage) => {
    if (!sum || !usage) return undefined;
    const written = (sum.cacheWrittenTokens ?? 0) + (usage.cacheWrittenTokens ?? 0);
    return {
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      cachedTokens: sum.cachedTokens + usage.cachedTokens,
      ...(written > 0 ? { cacheWrittenTokens: written } : {}),
    };
  });
}

function endless(label: string, count: number): Fault {
  return new Fault(
    'provider.refused',
    `${label} paused its turn (pause_turn) ${count === 1 ? 'before it said anything' : `${count} times`}, for tools that run at the service`,
    { hint: 'Switch those tools off where the service, or what stands before it, adds them.', answered: true },
  );
}
