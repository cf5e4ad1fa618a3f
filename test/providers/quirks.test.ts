/** One test for each row of oddities that servers are known for; those of the stream alone are in test/fixtures/wire. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import type { Message, ModelRequest } from '../../src/core/model.js';
import { openAiProvider } from '../../src/providers/openai.js';
import { CHAT_ODDITIES, createQuirkMemory, ollamaWarning } from '../../src/providers/quirks.js';
import {
  type Answer,
  callReply,
  chunk,
  DONE,
  errorReply,
  mockServer,
  textReply,
  usageChunk,
} from '../support/mock-server.js';

const RESOLVE = { name: 'resolve', description: 'End.', parameters: { type: 'object' } };
const FORCED = { tools: [RESOLVE], toolChoice: 'required' } as const;

async function serving(answer: Answer, more: { readonly readsLastTokens?: number } = {}) {
  const server = await mockServer(answer);
  onTestFinished(() => server.close());
  const notices: string[] = [];
  const provider = openAiProvider({ name: 'openai', baseUrl: server.url, ...more });
  const options = { idleTimeoutMs: 10_000, step: 'a', onNotice: (text: string) => void notices.push(text) };
  const ask = (request: Partial<ModelRequest> = {}) =>
    provider.complete(
      {
        model: 'm',
        system: '',
        messages: [{ role: 'user', text: 'Hi' }],
        tools: [],
        toolChoice: 'auto',
        parameters: {},
        ...request,
      },
      { signal: new AbortController().signal, ...options },
    );
  const bodies = () => server.requests.map(({ body }) => JSON.parse(body) as JsonObject);
  return { ask, bodies, notices };
}

/** Refuses what matches, in these words. */
const refusing =
  (words: RegExp, status: number, message: string): Answer =>
  ({ body }) =>
    words.test(body) ? errorReply(status, { message }) : textReply('Hello');

describe('a forced tool choice that is refused', () => {
  it.each([
    ['DeepSeek', 400, 'deepseek-reasoner does not support this tool_choice'],
    ['DashScope', 400, 'The tool_choice parameter does not support being set to required or object in thinking mode'],
    ['GLM', 400, 'tool_choice only supports auto'],
    ['LM Studio', 422, "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"],
    ['a router', 404, "No endpoints found that support the provided 'tool_choice' value."],
  ])('by %s is asked for once more with auto, and so from then on; it is said once', async (_, status, message) => {
    const { ask, bodies, notices } = await serving(refusing(/"tool_choice":"required"/, status, message));
    await ask(FORCED);
    await ask(FORCED);
    expect(bodies().map((body) => body.tool_choice)).toEqual(['required', 'auto', 'auto']);
    expect(notices).toEqual([
      'The server refused it, so m is no longer made to call a tool (tool_choice), only asked to.',
    ]);
  });

  it('by one model says nothing of another at the same server', async () => {
    const { ask, bodies } = await serving(refusing(/"model":"m".*"required"/, 400, 'bad tool_choice'));
    await ask(FORCED);
    await ask({ ...FORCED, model: 'other' });
    expect(bodies().map((body) => [body.model, body.tool_choice])).toEqual([
      ['m', 'required'],
      ['m', 'auto'],
      ['other', 'required'],
    ]);
  });

  it('is not taken for one when what else was asked is refused, too', async () => {
    const { ask, bodies, notices } = await serving((_, n) =>
      n < 2 ? errorReply(400, { message: 'tool_choice, always tool_choice' }) : textReply('Hello'),
    );
    await expect(ask(FORCED)).rejects.toThrow('always tool_choice');
    await ask(FORCED);
    expect(bodies().map((body) => body.tool_choice)).toEqual(['required', 'auto', 'required']);
    expect(notices).toEqual([]);
  });

  it('is never an object that names the tool', async () => {
    const { ask, bodies } = await serving(() => callReply(['resolve', {}]));
    await ask(FORCED);
    expect(bodies()[0]?.tool_choice).toBe('required');
  });
});

it('two oddities of one model are found out one after the other', async () => {
  const { ask, bodies } = await serving(({ body }) => {
    if (body.includes('stream_options')) return errorReply(400, { message: 'Unknown field: stream_options' });
    if (body.includes('"required"')) return errorReply(400, { message: 'tool_choice must be auto' });
    return textReply('Hello');
  });
  await ask(FORCED);
  await ask(FORCED);
  expect(bodies()).toHaveLength(4);
  expect(bodies()[3]).not.toHaveProperty('stream_options');
});

it.each<[string, RegExp, string, JsonObject, boolean]>([
  ['stream_options', /stream_options/, 'Unrecognized request argument supplied: stream_options', {}, true],
  [
    'parallel_tool_calls',
    /parallel_tool_calls/,
    "'parallel_tool_calls' is not supported with this model.",
    { parallel_tool_calls: false },
    true,
  ],
  [
    'response_format',
    /response_format/,
    "'response_format.type' must be 'json_schema'",
    { response_format: { type: 'json_object' } },
    true,
  ],
  ['max_tokens', /"max_tokens"/, "Use 'max_completion_tokens' instead.", { max_tokens: 5 }, false],
])(
  '%s is left out, or spelled otherwise, once it was refused; what is lost is said',
  async (_, words, message, parameters, said) => {
    const { ask, bodies, notices } = await serving(refusing(words, 400, message));
    await ask({ parameters });
    await ask({ parameters });
    expect(bodies().map((body) => words.test(JSON.stringify(body)))).toEqual([true, false, false]);
    expect(notices).toHaveLength(said ? 1 : 0);
  },
);

it.each([
  ['DeepSeek', 'This response_format type is unavailable now'],
  ['LM Studio', "'response_format.type' must be 'json_schema' or 'text'"],
  ['llama.cpp', 'Failed to parse grammar'],
])('a form of the answer that %s refuses is left out, once it was refused, and that is said', async (_, message) => {
  const { ask, bodies, notices } = await serving(refusing(/response_format/, 400, message));
  const format = { name: 'verdict', schema: { type: 'object' } };
  await ask({ format });
  await ask({ format });
  expect(bodies().map((body) => 'response_format' in body)).toEqual([true, false, false]);
  expect(notices).toEqual([expect.stringContaining('checked here')]);
});

it('nothing of this is sent unless the author wrote it: parallel_tool_calls, response_format, strict', async () => {
  const { ask, bodies } = await serving(() => textReply('Hello'));
  await ask(FORCED);
  expect(JSON.stringify(bodies()[0])).not.toMatch(/parallel_tool_calls|response_format|strict/);
  expect(bodies()[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

it('reasoning goes back after a refusal that names it, to that model only, and without a word', async () => {
  const messages: Message[] = [
    { role: 'assistant', text: '', calls: [{ id: 'a', name: 'f', arguments: '{}' }], reasoning: 'because' },
    { role: 'tool', callId: 'a', name: 'f', text: 'ok', error: false },
  ];
  const { ask, bodies, notices } = await serving(({ body }) =>
    body.includes('"model":"m"') && !body.includes('"reasoning_content":"because"')
      ? errorReply(400, {
          message: 'thinking is enabled but reasoning_content is missing in assistant tool call message',
        })
      : textReply('ok'),
  );
  await ask({ messages });
  await ask({ messages, model: 'other' });
  expect(bodies().map((body) => [body.model, JSON.stringify(body).includes('because')])).toEqual([
    ['m', false],
    ['m', true],
    ['other', false],
  ]);
  expect(notices).toEqual([]);
});

it('a server that neither says [DONE] nor hangs up is known from then on; usage that does come is still read', async () => {
  const ends = [chunk({ content: 'A' }), chunk({}, 'stop')];
  const { ask } = await serving((_, n) => ({ frames: n === 0 ? ends : [...ends, usageChunk(7, 1)], close: 'hang' }));
  expect(await ask()).toEqual({ text: 'A', calls: [], finish: 'stop' });
  expect(await ask()).toMatchObject({ text: 'A', usage: { inputTokens: 7, outputTokens: 1 } });
});

describe('calls count by being there', () => {
  it('with finish_reason stop', async () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    const { ask } = await serving(() => ({ frames: [chunk({ tool_calls: [call] }), chunk({}, 'stop'), DONE] }));
    expect(await ask()).toMatchObject({ finish: 'calls', calls: [{ name: 'f' }] });
  });

  it('without any, whatever finish_reason and tool_choice say', async () => {
    const { ask } = await serving(() => ({ frames: [chunk({ content: 'A' }), chunk({}, 'tool_calls'), DONE] }));
    expect(await ask(FORCED)).toEqual({ text: 'A', calls: [], finish: 'stop' });
  });
});

describe('Ollama, which cuts what is longer than its context without a word', () => {
  const long: Message[] = [{ role: 'user', text: 'word '.repeat(5_000) }];
  it('is warned of once, when it says that it read no more', async () => {
    const { ask, notices } = await serving(() => textReply('Hello'), { readsLastTokens: 4_096 });
    await ask();
    expect(notices).toEqual([]);
    await ask({ messages: long });
    await ask({ messages: long });
    expect(notices).toEqual([expect.stringContaining('OLLAMA_CONTEXT_LENGTH')]);
  });

  it.each([
    ['another server', undefined, 50_000, 4_096, false],
    ['a short request', 4_096, 5_000, 1_000, false],
    ['more tokens than that', 4_096, 50_000, 12_000, false],
    ['no usage', 4_096, 50_000, undefined, true],
    ['as many tokens as it reads', 32_768, 500_000, 32_768, true],
    ['a request that fits its larger context', 32_768, 50_000, 9_000, false],
  ])('%s', (_, readsLastTokens, characters, tokens, warned) => {
    expect(ollamaWarning(readsLastTokens, 'm', characters, tokens) !== undefined).toBe(warned);
  });
});

it('a refusal that names nothing odd, or with a status of another meaning, is no oddity', () => {
  const { find } = createQuirkMemory(CHAT_ODDITIES);
  const request: ModelRequest = { model: 'm', system: '', messages: [], parameters: {}, ...FORCED };
  const found = (status: number, body: string) => find(request, new Set(), { status, body });
  expect(found(400, 'bad schema')).toBeUndefined();
  for (const status of [401, 403, 413, 429, 500]) expect(found(status, 'tool_choice')).toBeUndefined();
  expect(found(404, 'stream_options')).toBeUndefined();
  expect(found(400, 'tool_choice')).toBe('auto_choice_only');
  expect(find(request, new Set(['auto_choice_only']), { status: 400, body: 'tool_choice' })).toBeUndefined();
});
