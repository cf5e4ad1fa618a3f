/**
 * Prompt caches hit as far as a request begins like the one before it: measured on the bytes that reach a server. The round that offers
 * `resolve` alone is no part of it: what may be called stands before the conversation, there and in every provider's cache.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Message, ModelRequest, Provider, ToolSpec } from '../../src/core/model.js';
import { anthropicProvider } from '../../src/providers/anthropic.js';
import { openAiProvider } from '../../src/providers/openai.js';
import {
  MESSAGE_STOP,
  messageDelta,
  messageStart,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../support/mock-messages.js';
import { callReply, chunk, DONE, errorReply, type MockReply, mockServer } from '../support/mock-server.js';

const ROUNDS = 50;
const WORDS = 'Read what is there before you write, and say where each fact is from. ';
const tool = (name: string): ToolSpec => ({
  name,
  description: WORDS.repeat(4),
  parameters: { type: 'object', properties: { path: { type: 'string', description: WORDS } }, required: ['path'] },
});
const TOOLS = ['list_files', 'read_file', 'search_files', 'write_file', 'resolve'].map(tool);
const SYSTEM = WORDS.repeat(40);

const thinking = (n: number): MockReply => ({
  frames: [
    messageStart(),
    ...thinkingBlock(0, 'c2ln', `${WORDS}${n}`),
    ...textBlock(1, `Round ${n}.`),
    ...toolBlock(2, `toolu_${n}`, 'read_file', JSON.stringify({ path: `notes/${n}.md` })),
    messageDelta('tool_use'),
    MESSAGE_STOP,
  ],
});
const reasoning = (n: number): MockReply => {
  const fragment = { index: 0, id: `c${n}`, function: { name: 'read_file', arguments: `{"path":"notes/${n}.md"}` } };
  return { frames: [chunk({ reasoning_content: WORDS }), chunk({ tool_calls: [fragment] }, 'tool_calls'), DONE] };
};
/** It wants its reasoning back: from then on each request holds it. */
const demanding = (body: string, n: number): MockReply =>
  body.includes('"tool_calls"') && !body.includes('reasoning_content')
    ? errorReply(400, { message: 'reasoning_content is missing' })
    : reasoning(n);

/** The bodies of a conversation of so many rounds. */
async function conversation(open: (url: string) => Provider, answer: (body: string, n: number) => MockReply) {
  const server = await mockServer(({ body }, n) => answer(body, n));
  onTestFinished(() => server.close());
  const provider = open(server.url);
  const messages: Message[] = [{ role: 'user', text: WORDS.repeat(10) }];
  for (let round = 0; round < ROUNDS; round++) {
    const request: ModelRequest = {
      model: 'm',
      system: SYSTEM,
      messages: [...messages],
      tools: [...TOOLS],
      toolChoice: 'auto',
      parameters: { temperature: 0.2 },
    };
    const { text, calls, ...rest } = await provider.complete(request, {
      signal: new AbortController().signal,
      idleTimeoutMs: 10_000,
    });
    messages.push({
      role: 'assistant',
      text,
      calls,
      ...(rest.reasoning === undefined ? {} : { reasoning: rest.reasoning }),
      ...(rest.blocks ? { blocks: rest.blocks } : {}),
    });
    for (const { id, name } of calls) {
      messages.push({ role: 'tool', callId: id, name, text: `${WORDS.repeat(8)}“${round}”`, error: false });
    }
    if (round % 10 === 9) messages.push({ role: 'user', text: `${ROUNDS - round - 1} rounds are left.` });
  }
  return server.requests.map(({ body }) => Buffer.from(body));
}

/** Of each body but the last, the share that the next one begins with. */
function shares(bodies: readonly Buffer[]): number[] {
  return bodies.slice(0, -1).map((body, i) => {
    const next = bodies[i + 1] as Buffer;
    let same = 0;
    while (same < body.length && body[same] === next[same]) same++;
    return same / body.length;
  });
}

describe(`over ${ROUNDS} rounds at least 99 % of the bytes of each request begin the next one`, () => {
  const chat = (url: string) => openAiProvider({ name: 'openai', baseUrl: url });

  it('over Chat Completions: all but the two that close it', async () => {
    const bodies = await conversation(chat, (_, n) => callReply(['read_file', { path: `notes/${n}.md` }]));
    expect(bodies).toHaveLength(ROUNDS);
    expect(Math.min(...shares(bodies))).toBeGreaterThanOrEqual(0.99);
    const lost = shares(bodies).map((share, i) => Math.round((1 - share) * (bodies[i]?.length ?? 0)));
    expect(Math.max(...lost)).toBe(2);
  });

  it('over Chat Completions with a model that wants its reasoning back, once that is known', async () => {
    const bodies = await conversation(chat, demanding);
    // The first, the one that was refused, and its repetition, which begins what is stable.
    expect(bodies).toHaveLength(ROUNDS + 1);
    expect(Math.min(...shares(bodies.slice(2)))).toBeGreaterThanOrEqual(0.99);
  });

  it('over Messages: all but what closes it and the mark of the cache, which moves to the new end', async () => {
    const bodies = await conversation(
      (url) => anthropicProvider({ baseUrl: url }),
      (_, n) => thinking(n),
    );
    expect(bodies).toHaveLength(ROUNDS);
    expect(Math.min(...shares(bodies))).toBeGreaterThanOrEqual(0.99);
    const lost = shares(bodies).map((share, i) => Math.round((1 - share) * (bodies[i]?.length ?? 0)));
    expect(Math.max(...lost)).toBe(42);
  });
});
