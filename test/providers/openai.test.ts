import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { Delta, Message, ModelReply, ModelRequest } from '../../src/core/model.js';
import { openAiProvider } from '../../src/providers/openai.js';
import {
  type Answer,
  callReply,
  chunk,
  DONE,
  errorReply,
  type MockReply,
  type MockServer,
  mockServer,
  textReply,
  usageChunk,
} from '../support/mock-server.js';

const WIRE = fileURLToPath(new URL('../fixtures/wire', import.meta.url));
const KEY = 'sk-test-0123456789';
const open: MockServer[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serving(script: readonly MockReply[] | Answer) {
  const server = await mockServer(script);
  open.push(server);
  const provider = openAiProvider({ name: 'openai', baseUrl: server.url, apiKey: KEY });
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

interface WireCase {
  readonly scenario: string;
  readonly reply: MockReply;
  readonly expected: ModelReply | { readonly fault: string; readonly message: string };
}

describe('a reply on the wire', () => {
  for (const file of readdirSync(WIRE)) {
    const { scenario, reply, expected } = JSON.parse(readFileSync(`${WIRE}/${file}`, 'utf8')) as WireCase;
    it(`is understood or refused as it should be when ${scenario} (${file})`, async () => {
      const { ask } = await serving([reply]);
      if ('fault' in expected) {
        const { data } = await faultOf(ask());
        expect(data.code).toBe(expected.fault);
        expect(data.message).toContain(expected.message);
      } else {
        expect(await ask()).toEqual(expected);
      }
    });
  }
});

describe('a request', () => {
  const tools = [{ name: 'resolve', description: 'End.', parameters: { type: 'object' } }];

  it('carries key, model, tools and messages, the messages last', async () => {
    const { server, ask } = await serving([textReply('Hello')]);
    await ask({ tools, toolChoice: 'required', parameters: { temperature: 0 } });
    const [request] = server.requests;
    expect(request?.url).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.body).toBe(
      '{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0,' +
        '"tools":[{"type":"function","function":{"name":"resolve","description":"End.","parameters":{"type":"object"}}}],' +
        '"tool_choice":"required",' +
        '"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}',
    );
  });

  it('has no Authorization header without a key', async () => {
    const { server } = await serving([textReply('Hello')]);
    const provider = openAiProvider({ name: 'local', baseUrl: `${server.url}/` });
    const request = { model: 'm', system: '', messages: [], tools: [], toolChoice: 'auto', parameters: {} } as const;
    await provider.complete(request, { signal: new AbortController().signal, idleTimeoutMs: 10_000 });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.url).toBe('/v1/chat/completions');
  });

  it('grows only at its end, over connections that are used again, for a whole conversation', async () => {
    const { server, ask } = await serving(() => callReply(['read_file', { path: 'x'.repeat(500) }]));
    const messages: Message[] = [{ role: 'user', text: 'Hi' }];
    for (let round = 0; round < 20; round++) {
      const reply = await ask({ messages: [...messages], tools });
      messages.push({ role: 'assistant', text: reply.text, calls: reply.calls });
      for (const { id, name } of reply.calls)
        messages.push({ role: 'tool', callId: id, name, text: 'ok', error: false });
    }
    for (let i = 1; i < server.requests.length; i++) {
      const before = server.requests[i - 1]?.body ?? '';
      expect(server.requests[i]?.body.startsWith(before.slice(0, -2))).toBe(true);
    }
    // Two: the next request may start before the server has ended the body of the last one.
    expect(server.connections().total).toBeLessThanOrEqual(2);
  });

  it('sends the unknown fields of a call back, and its arguments as a string', async () => {
    const { server, ask } = await serving([textReply('Hello')]);
    const call = {
      id: 'a',
      name: 'f',
      arguments: '{"n":1}',
      extra: { thought_signature: 's', function: { strict: true } },
    };
    await ask({
      messages: [
        { role: 'assistant', text: '', calls: [call], reasoning: 'secret' },
        { role: 'tool', callId: 'a', name: 'f', text: 'one', error: false },
      ],
    });
    expect(JSON.parse(server.requests[0]?.body ?? '').messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            thought_signature: 's',
            id: 'a',
            type: 'function',
            function: { strict: true, name: 'f', arguments: '{"n":1}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
    ]);
  });

  it('gives repeated ids of a later turn a name of their own', async () => {
    const { ask } = await serving([callReply(['f', {}])]);
    const first: Message = { role: 'assistant', text: '', calls: [{ id: 'call_0', name: 'f', arguments: '{}' }] };
    expect((await ask({ messages: [first] })).calls[0]?.id).toBe('call_0_2');
  });
});

describe('what a server does not take', () => {
  const tools = [{ name: 'resolve', description: 'End.', parameters: { type: 'object' } }];
  const refuses =
    (words: RegExp, message: string): Answer =>
    (request) =>
      words.test(request.body) ? errorReply(400, { message }) : textReply('Hello');

  it.each([
    ['a forced tool choice', /"tool_choice":"required"/, 'tool_choice must be auto while thinking', {}],
    ['stream options', /stream_options/, 'Unknown field: stream_options', {}],
    ['max_tokens', /"max_tokens"/, "Unsupported parameter: use 'max_completion_tokens'", { max_tokens: 5 }],
  ])('is asked for once, then never again: %s', async (_, words, message, parameters) => {
    const { server, ask } = await serving(refuses(words, message));
    await ask({ tools, toolChoice: 'required', parameters });
    await ask({ tools, toolChoice: 'required', parameters });
    expect(server.requests.map(({ body }) => words.test(body))).toEqual([true, false, false]);
  });

  it('sends reasoning back only where the server demands it', async () => {
    const messages: Message[] = [
      { role: 'assistant', text: '', calls: [{ id: 'a', name: 'f', arguments: '{}' }], reasoning: 'because' },
      { role: 'tool', callId: 'a', name: 'f', text: 'ok', error: false },
    ];
    const { server, ask } = await serving((request) =>
      request.body.includes('"reasoning_content":"because"')
        ? textReply('ok')
        : errorReply(400, { message: 'Missing reasoning_content' }),
    );
    await ask({ messages });
    expect(server.requests.map(({ body }) => body.includes('because'))).toEqual([false, true]);
  });

  it('stays refused when another way of asking does not help', async () => {
    const { server, ask } = await serving([errorReply(400, { message: 'tool_choice, always tool_choice' })]);
    const { data } = await faultOf(ask({ tools, toolChoice: 'required' }));
    expect(data.code).toBe('provider.refused');
    expect(server.requests).toHaveLength(2);
  });
});

describe('a status of 400 or more', () => {
  it.each([
    [400, 'provider.refused'],
    [401, 'provider.refused'],
    [403, 'provider.refused'],
    [404, 'provider.refused'],
    [408, 'provider.overloaded'],
    [409, 'provider.overloaded'],
    [413, 'provider.refused'],
    [422, 'provider.refused'],
    [429, 'provider.overloaded'],
    [500, 'provider.overloaded'],
    [503, 'provider.overloaded'],
    [529, 'provider.overloaded'],
  ])('%i is %s, with the body in the message', async (status, code) => {
    const { server, ask } = await serving([errorReply(status, { message: 'these words' })]);
    const { data } = await faultOf(ask());
    expect(data.code).toBe(code);
    expect(data.message).toBe(`HTTP ${status}: these words`);
    expect(server.requests).toHaveLength(1);
  });

  it('says how long to wait, from seconds', async () => {
    const { ask } = await serving([errorReply(429, { message: 'slow' }, { 'retry-after': '7' })]);
    expect((await faultOf(ask())).data.retryAfterMs).toBe(7_000);
  });

  it('knows an exhausted quota from a busy minute', async () => {
    const { ask } = await serving([errorReply(429, { message: 'No credit', code: 'insufficient_quota' })]);
    expect((await faultOf(ask())).data.code).toBe('provider.exhausted');
  });

  it('cuts a long body, and hides the key in it', async () => {
    const { ask } = await serving([{ status: 401, body: `Wrong key ${KEY} ${'x'.repeat(2_000)}` }]);
    const { message } = (await faultOf(ask())).data;
    expect(message).not.toContain(KEY);
    expect(message).toContain('«redacted»');
    expect(message.length).toBeLessThan(600);
  });
});

it('hides the key also in an error inside a stream', async () => {
  const { ask } = await serving([{ frames: [`data: {"error":{"message":"bad key ${KEY}","code":401}}\n\n`] }]);
  expect((await faultOf(ask())).message).toMatch(/bad key «redacted»$/);
});

describe('a connection', () => {
  it('that stays silent is given up, with the time in the words', async () => {
    const { ask } = await serving([{ frames: [chunk({ content: 'A' })], close: 'hang' }]);
    const { data } = await faultOf(ask({}, { idleTimeoutMs: 200 }));
    expect(data).toMatchObject({ code: 'provider.silent', message: expect.stringContaining('No bytes') });
    expect(data.message).toContain('for 0.2 s');
  });

  it('that never answers is silent, too', async () => {
    const { ask } = await serving([{ refuse: 'hang' }]);
    expect((await faultOf(ask({}, { idleTimeoutMs: 200 }))).data.code).toBe('provider.silent');
  });

  it('is kept by comments, which are bytes', async () => {
    const frames = Array.from({ length: 40 }, () => ': still here\n\n');
    const { ask } = await serving([
      { frames: [...frames, chunk({ content: 'A' }), chunk({}, 'stop'), DONE], split: 'byte' },
    ]);
    expect((await ask({}, { idleTimeoutMs: 2_000 })).text).toBe('A');
  });

  it('that nobody listens on is unreachable', async () => {
    const { server, ask } = await serving([textReply('Hello')]);
    await server.close();
    open.pop();
    const { data } = await faultOf(ask());
    expect(data).toMatchObject({ code: 'provider.unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('that is reset before any header is unreachable', async () => {
    const { ask } = await serving([{ refuse: 'reset' }]);
    expect((await faultOf(ask())).data.code).toBe('provider.unreachable');
  });

  it('is closed at once by the caller, whose reason is thrown', async () => {
    const stop = new AbortController();
    const { server, ask } = await serving([{ frames: [chunk({ content: 'A' })], close: 'hang' }]);
    const reason = new Fault('run.cancelled', 'Interrupted.');
    const reply = ask({}, { signal: stop.signal });
    setTimeout(() => stop.abort(reason), 50);
    expect(await faultOf(reply)).toBe(reason);
    await expect.poll(() => server.connections().open).toBe(0);
  });

  it('is closed when the answer is whole and the server says no more, with or without [DONE]', async () => {
    for (const frames of [
      [chunk({ content: 'A' }), chunk({}, 'stop'), DONE],
      [chunk({ content: 'A' }), chunk({}, 'stop')],
    ]) {
      const { server, ask } = await serving([{ frames, close: 'hang' }]);
      expect((await ask()).text).toBe('A');
      await expect.poll(() => server.connections().open).toBe(0);
    }
  });

  it('reads the usage that comes after finish_reason', async () => {
    const { ask } = await serving([
      { frames: [chunk({ content: 'A' }), chunk({}, 'stop'), usageChunk(7, 1, 5)], close: 'hang' },
    ]);
    expect((await ask()).usage).toEqual({ inputTokens: 7, outputTokens: 1, cachedTokens: 5 });
  });

  it('is not redirected: the error names the other host, which never sees the key', async () => {
    const other = await serving([textReply('stolen')]);
    const { ask } = await serving([{ status: 307, headers: { location: `${other.server.url}/chat/completions` } }]);
    const { data } = await faultOf(ask());
    expect(data.code).toBe('provider.refused');
    expect(data.message).toContain(new URL(other.server.url).host);
    expect(other.server.requests).toHaveLength(0);
  });
});

it('shows text as it comes, and nothing of a thought', async () => {
  const { ask, deltas } = await serving([
    {
      frames: [
        chunk({ content: '<thi' }),
        chunk({ content: 'nk>no</think>ye' }),
        chunk({ content: 's' }),
        chunk({}, 'stop'),
        DONE,
      ],
    },
  ]);
  await ask();
  const text = deltas.filter(({ type }) => type === 'text').map((delta) => delta.text);
  expect(text.join('')).toBe('yes');
});
