/** A turn that the Messages API pauses for tools that run at the service. */
import { expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { Message, ModelReply } from '../../src/core/model.js';
import { anthropicProvider } from '../../src/providers/anthropic.js';
import {
  block,
  MESSAGE_STOP,
  messageDelta,
  messageReply,
  messageStart,
  textBlock,
  toolBlock,
} from '../support/mock-messages.js';
import { type MockReply, mockServer } from '../support/mock-server.js';

const HI: Message = { role: 'user', text: 'Hi' };

async function serving(...replies: readonly MockReply[]) {
  const server = await mockServer(replies);
  onTestFinished(() => server.close());
  const provider = anthropicProvider({ baseUrl: new URL(server.url).origin });
  const ask = (messages: readonly Message[] = [HI]) =>
    provider.complete(
      { model: 'm', system: '', messages, tools: [], toolChoice: 'auto', parameters: {} },
      { signal: new AbortController().signal, idleTimeoutMs: 10_000 },
    );
  const turns = (at: number) => JSON.parse(server.requests[at]?.body ?? '{}').messages;
  return { server, ask, turns };
}

const paused = (...blocks: readonly string[][]): MockReply => ({
  frames: [messageStart(), ...blocks.flat(), messageDelta('pause_turn'), MESSAGE_STOP],
});
const SEARCH = block(
  1,
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
  { type: 'input_json_delta', partial_json: '{"query":' },
  { type: 'input_json_delta', partial_json: '"x"}' },
);
const FOUND = block(0, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] });

it('goes on from what was said, as the API takes it back, and is one reply', async () => {
  const { ask, turns } = await serving(paused(textBlock(0, 'I look. '), SEARCH), {
    frames: [messageStart(), ...FOUND, ...textBlock(1, 'Found.'), messageDelta('end_turn'), MESSAGE_STOP],
  });
  const reply = await ask();
  const looked = [
    { type: 'text', text: 'I look. ' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
  ];
  expect(turns(1)).toEqual([
    expect.objectContaining({ role: 'user' }),
    { role: 'assistant', content: [looked[0], expect.objectContaining(looked[1] ?? {})] },
  ]);
  expect(reply).toEqual({
    text: 'I look. Found.',
    calls: [],
    finish: 'stop',
    blocks: [
      ...looked,
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'Found.' },
    ],
    usage: { inputTokens: 20, outputTokens: 4, cachedTokens: 0 },
  });
  await ask([HI, { role: 'assistant', ...reply }, { role: 'user', text: 'More' }]).catch(() => undefined);
  expect(turns(2)[1].content.slice(0, 2)).toEqual(looked);
});

it('goes on with the result, not by itself, when it calls a tool of ours', async () => {
  const { server, ask } = await serving(
    paused(textBlock(0, 'Hm.'), toolBlock(1, 'a', 'f', '{}')),
    messageReply('never'),
  );
  expect(await ask()).toMatchObject({ finish: 'calls', calls: [{ id: 'a' }] });
  expect(server.requests).toHaveLength(1);
});

it('is refused by its name when there is nothing to go on from, and when it never ends', async () => {
  const empty = await serving(paused(), messageReply('never'));
  expect(await faultOf(empty.ask())).toMatchObject({
    code: 'provider.refused',
    message: expect.stringContaining('pause_turn'),
  });
  expect(empty.server.requests).toHaveLength(1);
  const endless = await serving(...Array.from({ length: 20 }, () => paused(textBlock(0, 'a'))));
  expect(await faultOf(endless.ask())).toMatchObject({ code: 'provider.refused' });
  expect(endless.server.requests).toHaveLength(11);
  const sent = endless.server.requests.map(({ body }) => body);
  expect(new Set(sent).size).toBe(sent.length);
});

async function faultOf(reply: Promise<ModelReply>) {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Fault ? error.data : error;
}
