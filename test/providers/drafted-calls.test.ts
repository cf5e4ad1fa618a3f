import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelReply } from '../../src/core/model.js';
import { draftedCall } from '../../src/providers/drafted-calls.js';
import { openAiProvider } from '../../src/providers/openai.js';
import { chunk, DONE, mockServer } from '../support/mock-server.js';

const TOOLS = [
  {
    name: 'resolve',
    description: '',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  },
];
const draft = (name: string, args: unknown) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const thought = (reasoning: string, more: Partial<ModelReply> = {}): ModelReply => ({
  text: '',
  calls: [],
  finish: 'stop',
  reasoning,
  ...more,
});
const take = (reply: ModelReply) => draftedCall(reply, TOOLS, () => 'new');
const GOOD = draft('resolve', { title: 'T' });

describe('a call that was drafted in a thought', () => {
  it.each([
    ['as it stands', `I should answer. ${GOOD}`],
    ['written twice, word for word', `${GOOD} yes: ${GOOD}`],
    ['with its arguments as text', draft('resolve', '{"title":"T"}')],
  ])('is taken when there is no other and its arguments are valid: %s', async (_, reasoning) => {
    expect(await take(thought(reasoning))).toEqual({ id: 'new', name: 'resolve', arguments: '{"title":"T"}' });
  });

  it.each<[string, ModelReply]>([
    ['when a call was made', thought(GOOD, { calls: [{ id: 'a', name: 'f', arguments: '{}' }], finish: 'calls' })],
    ['when the answer was cut', thought(GOOD, { finish: 'length' })],
    ['when the model refuses', thought(GOOD, { finish: 'refusal' })],
    ['when its arguments break the schema', thought(draft('resolve', { title: 7 }))],
    ['when they are no object', thought(draft('resolve', ['T']))],
    ['when its JSON is broken', thought('<tool_call>{"name":"resolve","arguments":{"title":"T"}</tool_call>')],
    ['when there is no such tool', thought(draft('write_file', { title: 'T' }))],
    ['when it was weighed against another', thought(`${GOOD} or ${draft('resolve', { title: 'U' })}`)],
    ['when it stands in the text', { text: GOOD, calls: [], finish: 'stop' }],
  ])('is not taken %s', async (_, reply) => {
    expect(await take(reply)).toBeUndefined();
  });
});

it('a thought full of beginnings costs no more than reading it', async () => {
  expect(await take(thought('<tool_call>{'.repeat(200_000)))).toBeUndefined();
  expect(await take(thought('<tool_call>{}</tool_call>'.repeat(200_000)))).toBeUndefined();
});

it.each([
  ['between think tags', [{ content: `<think>So: ${GOOD}` }, { content: '</think>' }]],
  ['in a field of its own', [{ reasoning_content: `So: ${GOOD}` }]],
])('is a call of the reply like any other, with an id: %s', async (_, deltas) => {
  const server = await mockServer([{ frames: [...deltas.map((delta) => chunk(delta)), chunk({}, 'stop'), DONE] }]);
  onTestFinished(() => server.close());
  const provider = openAiProvider({ name: 'openai', baseUrl: server.url });
  const reply = await provider.complete(
    { model: 'm', system: '', messages: [], tools: TOOLS, toolChoice: 'auto', parameters: {} },
    { signal: new AbortController().signal, idleTimeoutMs: 10_000 },
  );
  expect(reply).toMatchObject({
    finish: 'calls',
    calls: [{ id: 'call_1', name: 'resolve', arguments: '{"title":"T"}' }],
    reasoning: expect.stringContaining('So:'),
  });
});
