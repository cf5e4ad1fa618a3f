/** Fuzzes the assembly of replies with their calls, from chunks whose fields are wrong. */
import type { Json } from '../../src/core/json.js';
import type { ModelReply } from '../../src/core/model.js';
import { createAssembler } from '../../src/providers/assemble.js';
import { idsBeside } from '../../src/providers/call-ids.js';
import { CANONICAL } from '../../test/providers/canonical-streams.js';
import { below, pick } from './mutate.js';
import { mutatedJson, textOf } from './mutate-json.js';
import { orFault, type Target } from './target.js';

const DONE = '[DONE]';
/** Those whose frames are lines. */
const STREAMS = CANONICAL.map(({ events }) => events.join(''))
  .filter((text) => !text.includes('\r'))
  .map((text) =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']): Json => (data === DONE ? DONE : JSON.parse(data))),
  );
const KEYS = [
  'index',
  'id',
  'function',
  'name',
  'arguments',
  'tool_calls',
  'delta',
  'message',
  'choices',
  'finish_reason',
  'content',
  'reasoning_content',
  'refusal',
  'usage',
  'prompt_tokens',
  'error',
  'object',
  'type',
  '__proto__',
  'toString',
  'extra_content',
];

export const calls: Target = {
  name: 'call assembly',
  inputs: 2_000,
  async open() {
    return (random) => {
      const chunks = [...pick(STREAMS, random)];
      for (let left = 1 + below(4, random); left > 0 && chunks.length > 0; left--) {
        const at = below(chunks.length, random);
        const chunk = chunks[at] as Json;
        if (chunk === DONE) chunks.splice(at, 1);
        else chunks[at] = mutatedJson(chunk, KEYS, random);
      }
      const frames = chunks.map((chunk) => (chunk === DONE ? DONE : textOf(chunk, random)));
      return { input: frames.join('\n'), read: () => wrongWith(orFault(() => replyOf(frames))) };
    };
  },
};

function replyOf(frames: readonly string[]): ModelReply {
  const assembler = createAssembler({ label: 'host', uniqueId: idsBeside([]) });
  for (const data of frames) if (assembler.state() !== 'closed') assembler.push({ data });
  return assembler.finish();
}

function wrongWith(reply: ModelReply | Error): string | undefined {
  if (reply instanceof Error) return undefined;
  if (typeof reply.text !== 'string') return 'its text is none';
  if (reply.calls.some(({ name }) => typeof name !== 'string' || name === '')) return 'a call has no name';
  if (reply.calls.some((call) => typeof call.arguments !== 'string')) return 'arguments are no text';
  const ids = reply.calls.map(({ id }) => id);
  return new Set(ids).size < ids.length ? 'two calls share an id' : undefined;
}
