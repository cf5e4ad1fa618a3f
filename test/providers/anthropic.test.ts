import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { Delta, Message, ModelReply, ModelRequest } from '../../src/core/model.js';
import { anthropicProvider } from '../../src/providers/anthropic.js';
import {
  MESSAGE_STOP,
  messageDelta,
  messageReply,
  messageStart,
  messagesError,
  textBlock,
  thinkingBlock,
  toolBlock,
  toolReply,
} from '../support/mock-messages.js';
import { type Answer, type MockReply, type MockServer, mockServer } from '../support/mock-server.js';
import { project } from '../support/project.js';

const KEY = 'sk-ant-0123456789';
const TOOLS = [{ name: 'resolve', description: 'End.', parameters: { type: 'object' } }];
const open: MockServer[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serving(script: readonly MockReply[] | Answer) {
  const server = await mockServer(script);
  open.push(server);
  const provider = anthropicProvider({ baseUrl: new URL(server.url).origin, apiKey: KEY });
  const deltas: Delta[] = [];
  const ask = (request: Partial<ModelRequest> = {}, more: { signal?: AbortSignal; idleTimeoutMs?: number } = {}) =>
    provider.complete(
      {
        model: 'm',
        system: 'Be brief.',
        messages: [{ role: 'user', text: 'Hi' }],
        tools: [],
        toolChoice: 'auto',
        parameters: {},
        ...request,
      },
      {
        signal: new AbortController().signal,
        idleTimeoutMs: 10_000,
        onDelta: (delta) => void deltas.push(delta),
        ...more,
      },
    );
  return { server, ask, deltas };
}

async function faultOf(reply: Promise<ModelReply>): Promise<Fault> {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Fault);
  return error as Fault;
}

describe('a request', () => {
  it('carries key, version and body to /v1/messages, whether or not the base URL ends in /v1', async () => {
    const { server, ask } = await serving([messageReply('Hello')]);
    expect(await ask()).toEqual({
      text: 'Hello',
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 2, cachedTokens: 0 },
    });
    const bare = anthropicProvider({ baseUrl: `${server.url}/` });
    const request = { model: 'm', system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
    await bare.complete(request, { signal: new AbortController().signal, idleTimeoutMs: 10_000 });
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/messages', '/v1/messages']);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2026-10-21' });
    expect(server.requests[1]?.headers).not.toHaveProperty('x-api-key');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ model: 'm', stream: true, max_tokens: 32_000 });
  });

  it('speaks the version that knows sampling where the author asks for it', async () => {
    const { server, ask } = await serving([messageReply('Hello')]);
    await ask({ parameters: { temperature: 0 } });
    expect(server.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('goes over connections that are used again, for a whole conversation', async () => {
    const { server, ask } = await serving((_, index) => toolReply([`toolu_${index}`, 'f', {}]));
    const messages: Message[] = [{ role: 'user', text: 'Hi' }];
    for (let round = 0; round < 10; round++) {
      const { text, calls } = await ask({ messages: [...messages], tools: TOOLS });
      messages.push({ role: 'assistant', text, calls });
      for (const { id, name } of calls) messages.push({ role: 'tool', callId: id, name, text: 'ok', error: false });
    }
    expect(server.connections().total).toBeLessThanOrEqual(2);
  });

  it('never takes a key over plain http to another machine', async () => {
    const provider = anthropicProvider({ baseUrl: 'http://model.example', apiKey: KEY });
    const request = { model: 'm', system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
    const reply = provider.complete(request, { signal: new AbortController().signal, idleTimeoutMs: 1_000 });
    expect((await faultOf(reply)).data).toMatchObject({ code: 'provider.refused' });
  });

  it('is not redirected: the other host never sees the key', async () => {
    const other = await serving([messageReply('stolen')]);
    const { ask } = await serving([{ status: 307, headers: { location: `${other.server.url}/messages` } }]);
    expect((await faultOf(ask())).data.code).toBe('provider.refused');
    expect(other.server.requests).toHaveLength(0);
  });
});

describe('what a model does not take', () => {
  const refuses =
    (words: RegExp, message: string): Answer =>
    ({ body }) =>
      words.test(body) ? messagesError(400, 'invalid_request_error', message) : messageReply('Hello');

  it.each([
    ['a forced call', /"type":"any"/, 'Thinking may not be enabled when tool_choice forces tool use.', {}],
    ['effort', /"adaptive"/, 'adaptive thinking is not supported on this model', { reasoning_effort: 'low' }],
    ['effort', /"effort"/, 'output_config.effort: Extra inputs are not permitted', { reasoning_effort: 'low' }],
    ['the form of an answer', /json_schema/, 'output_config.format: Extra inputs are not permitted', {}],
  ])('is asked for once, then never again: %s', async (_, words, message, parameters) => {
    const { server, ask } = await serving(refuses(words, message));
    const format = { name: 'v', schema: { type: 'object', properties: { a: { type: 'string' } } } };
    await ask({ tools: TOOLS, toolChoice: 'required', parameters, format });
    await ask({ tools: TOOLS, toolChoice: 'required', parameters, format });
    expect(server.requests.map(({ body }) => words.test(body))).toEqual([true, false, false]);
  });

  it('stays refused when another way of asking does not help', async () => {
    const { server, ask } = await serving([messagesError(400, 'invalid_request_error', 'tool_choice, always')]);
    expect((await faultOf(ask({ tools: TOOLS, toolChoice: 'required' }))).data.code).toBe('provider.refused');
    expect(server.requests).toHaveLength(2);
  });
});

describe('a status of 400 or more', () => {
  it.each([
    [400, 'invalid_request_error', 'provider.refused'],
    [401, 'authentication_error', 'provider.refused'],
    [403, 'permission_error', 'provider.refused'],
    [404, 'not_found_error', 'provider.refused'],
    [413, 'request_too_large', 'provider.refused'],
    [429, 'rate_limit_error', 'provider.overloaded'],
    [500, 'api_error', 'provider.overloaded'],
    [504, 'timeout_error', 'provider.overloaded'],
    [529, 'overloaded_error', 'provider.overloaded'],
    [402, 'billing_error', 'provider.exhausted'],
  ])('%i %s is %s, with the body in the message', async (status, type, code) => {
    const { server, ask } = await serving([messagesError(status, type, 'these words')]);
    const { data } = await faultOf(ask());
    expect(data.code).toBe(code);
    expect(data.message).toMatch(new RegExp(`^HTTP ${status}: .*these words`));
    expect(server.requests).toHaveLength(1);
  });

  it('says how long to wait', async () => {
    const { ask } = await serving([messagesError(429, 'rate_limit_error', 'slow', { 'retry-after': '7' })]);
    expect((await faultOf(ask())).data).toMatchObject({ code: 'provider.overloaded', retryAfterMs: 7_000 });
  });

  it.each([
    [400, 'Your credit balance is too low to access the Anthropic API.', {}],
    [400, 'You have reached your specified API usage limits.', {}],
    [429, 'Your organization has reached its limit.', { details: { error_code: 'enforced_spend_limit_reached' } }],
  ])('knows an account that is used up from a busy minute: %i %s', async (status, message, more) => {
    const error = { type: status === 429 ? 'rate_limit_error' : 'invalid_request_error', message, ...more };
    const { ask } = await serving([{ status, body: JSON.stringify({ type: 'error', error }) }]);
    expect((await faultOf(ask())).data).toMatchObject({
      code: 'provider.exhausted',
      message: expect.stringContaining(message),
    });
  });

  it('names the variable of the key, and hides the key', async () => {
    const { ask } = await serving([messagesError(401, 'authentication_error', `invalid x-api-key ${KEY}`)]);
    const { message, hint } = (await faultOf(ask())).data;
    expect(message).not.toContain(KEY);
    expect(hint).toContain('ANTHROPIC_API_KEY');
  });
});

describe('what comes in the place of a stream', () => {
  const html = { headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' };

  it.each<[string, MockReply, string, string]>([
    ['a page', html, 'provider.protocol', '<html>Log in'],
    ['a JSON message', { body: '{"type":"message","content":[]}' }, 'provider.protocol', 'application/json'],
    ['a JSON error', messagesError(200, 'overloaded_error', 'Overloaded'), 'provider.overloaded', 'Overloaded'],
    ['nothing', { frames: [] }, 'provider.protocol', 'empty response'],
  ])('%s is a fault', async (_, reply, code, words) => {
    const { ask } = await serving([reply]);
    expect((await faultOf(ask())).data).toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

describe('a connection', () => {
  const half = [messageStart(), ...textBlock(0, 'A').slice(0, 2)];
  const whole = [messageStart(), ...textBlock(0, 'A'), messageDelta('end_turn')];

  it.each([
    ['end', 'provider.protocol'],
    ['reset', 'provider.unreachable'],
    ['hang', 'provider.silent'],
  ] as const)('that breaks off in the answer (%s) is %s', async (close, code) => {
    const { ask } = await serving([{ frames: half, close }]);
    expect((await faultOf(ask({}, { idleTimeoutMs: 300 }))).data.code).toBe(code);
  });

  it('that is reset before message_stop gives no answer; one that only stays open does', async () => {
    const reset = await serving([{ frames: whole, close: 'reset' }]);
    expect((await faultOf(reset.ask())).data.code).toBe('provider.unreachable');
    const open = await serving([{ frames: whole, close: 'hang' }]);
    expect((await open.ask()).text).toBe('A');
  });

  it('is closed when the answer is whole and the server says no more', async () => {
    const { server, ask } = await serving([{ frames: [...whole, MESSAGE_STOP], close: 'hang' }]);
    expect((await ask()).text).toBe('A');
    await expect.poll(() => server.connections().open).toBe(0);
  });

  it('is closed at once by the caller, whose reason is thrown', async () => {
    const stop = new AbortController();
    const { server, ask, deltas } = await serving([{ frames: half, close: 'hang' }]);
    const reason = new Fault('run.cancelled', 'Interrupted.');
    const reply = faultOf(ask({}, { signal: stop.signal }));
    await expect.poll(() => deltas.length).toBe(1);
    stop.abort(reason);
    expect(await reply).toBe(reason);
    await expect.poll(() => server.connections().open).toBe(0);
  });

  it('that brings single bytes brings the same answer', async () => {
    const { ask } = await serving([{ frames: [...whole, MESSAGE_STOP], split: 'byte' }]);
    expect((await ask()).text).toBe('A');
  });
});

it('a run keeps the thinking of each turn, and gives it back before the calls of that turn, also after a resume', async () => {
  const looking = [
    ...thinkingBlock(0, 'c2ln', 'I should look.'),
    ...textBlock(1, 'Looking.'),
    ...toolBlock(2, 'toolu_1', 'list_files', '{}'),
  ];
  const server = await mockServer([
    { frames: [messageStart(), ...looking, messageDelta('tool_use'), MESSAGE_STOP] },
    messagesError(402, 'billing_error', 'No credit.'),
    toolReply(['toolu_2', 'resolve', { result: 'done' }]),
  ]);
  open.push(server);
  const { dir, run } = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: "Look.", tools: [list_files] }
    output: { type: object, properties: { result: { type: string } }, required: [result] }
`,
  });
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: new URL(server.url).origin,
  };
  expect((await run({ env, model: 'anthropic/m' })).status).toBe('limit');
  expect((await run({ env, model: 'anthropic/m', resume: true })).status).toBe('done');
  expect(server.requests).toHaveLength(3);
  for (const { body } of server.requests.slice(1)) {
    const { messages } = JSON.parse(body);
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: 'c2ln' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'toolu_1', name: 'list_files', input: {} },
      ],
    });
    expect(messages[2].content[0]).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_1' });
  }
});
