import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/core/json.js';
import type { Message, ModelRequest } from '../../src/core/model.js';
import { createMessagesWriter, formatToWire, type Quirk } from '../../src/providers/anthropic-body.js';

const TOOL = { name: 'resolve', description: 'End.', parameters: { properties: { a: { type: 'string' } } } };
const MARK = { type: 'ephemeral' };

function text(request: Partial<ModelRequest>, ...quirks: readonly Quirk[]): string {
  const whole: ModelRequest = {
    model: 'm',
    system: '',
    messages: [{ role: 'user', text: 'Hi' }],
    tools: [],
    toolChoice: 'auto',
    parameters: {},
    ...request,
  };
  return createMessagesWriter().write(whole, new Set(quirks));
}
const body = (request: Partial<ModelRequest>, ...quirks: readonly Quirk[]) => JSON.parse(text(request, ...quirks));
const parameters = (given: ModelRequest['parameters'], ...quirks: readonly Quirk[]) => {
  const { model: _model, messages: _messages, stream: _stream, ...rest } = body({ parameters: given }, ...quirks);
  return rest;
};

const call = (id: string, args = '{}') => ({ id, name: 'f', arguments: args });
const result = (callId: string, more = {}): Message => ({
  role: 'tool',
  callId,
  name: 'f',
  text: 'ok',
  error: false,
  ...more,
});

describe('what is stable', () => {
  it('comes first and is marked for the cache: tools, system, then the end of the conversation', () => {
    expect(text({ system: 'Be brief.', tools: [TOOL], toolChoice: 'required' })).toBe(
      '{"model":"m","max_tokens":32000,"stream":true,"tool_choice":{"type":"any"},' +
        '"tools":[{"name":"resolve","description":"End.","input_schema":{"properties":{"a":{"type":"string"}},"type":"object"},"cache_control":{"type":"ephemeral"}}],' +
        '"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}]}',
    );
  });

  it('is at least 99 % of the next request, byte by byte, over 50 rounds, with at most four marks', () => {
    const writer = createMessagesWriter();
    const messages: Message[] = [{ role: 'user', text: 'x'.repeat(5_000) }];
    const tools = [TOOL];
    const requests = Array.from({ length: 50 }, (_, round) => {
      const request = { model: 'm', system: 'Be brief.', messages: [...messages], tools, toolChoice: 'auto' } as const;
      messages.push({ role: 'assistant', text: '', calls: [call(`c${round}`)] }, result(`c${round}`));
      return writer.write({ ...request, parameters: {} }, new Set());
    });
    for (const [i, request] of requests.entries()) {
      expect(request.split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
      const next = requests[i + 1] ?? request;
      let same = 0;
      while (same < request.length && request[same] === next[same]) same++;
      expect(same / request.length).toBeGreaterThanOrEqual(0.99);
    }
  });

  it('is marked at its old end too, where one round added more blocks than a mark looks back over', () => {
    const ids = Array.from({ length: 12 }, (_, i) => `c${i}`);
    const { messages } = body({
      messages: [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: '', calls: ids.map((id) => call(id)) },
        ...ids.map((id) => result(id)),
      ],
    });
    const marked = messages.map(({ content }: { content: object[] }) =>
      content.flatMap((block, at) => ('cache_control' in block ? [at] : [])),
    );
    expect(marked).toEqual([[0], [], [11]]);
  });
});

describe('a conversation', () => {
  it('has one user turn for what follows another: results first, errors marked', () => {
    const { messages } = body({
      messages: [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: 'Well', calls: [call('a', '{"n":1}'), call('b')] },
        result('a'),
        { role: 'user', text: 'Hurry.' },
        result('b', { text: 'no', error: true }),
      ],
    });
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Well' },
          { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } },
          { type: 'tool_use', id: 'b', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
          { type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true },
          { type: 'text', text: 'Hurry.', cache_control: MARK },
        ],
      },
    ]);
  });

  it('has no empty turns or texts, which the API refuses', () => {
    const { messages } = body({
      messages: [
        { role: 'user', text: ' ' },
        { role: 'assistant', text: '\n', calls: [] },
        { role: 'user', text: 'Go on.' },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '(empty)' },
          { type: 'text', text: 'Go on.', cache_control: MARK },
        ],
      },
    ]);
  });

  it('gives thinking back word for word and in its place, with the calls as they are', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'sig==' };
    const hidden = { type: 'redacted_thinking', data: 'opaque' };
    const blocks = [
      thought,
      { type: 'text', text: 'One.' },
      hidden,
      { type: 'tool_use', id: 'b' },
      { type: 'tool_use', id: 'a' },
    ];
    const { messages } = body({
      messages: [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: 'One.', reasoning: 'hm', calls: [call('a', '{"n":1}'), call('b')], blocks },
        result('a'),
      ],
    });
    expect(messages[1].content).toEqual([
      thought,
      { type: 'text', text: 'One.' },
      hidden,
      { type: 'tool_use', id: 'b', name: 'f', input: {} },
      { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } },
    ]);
  });

  it('shows images before the text of their message', () => {
    const images = [{ name: 'a.png', mediaType: 'image/png', base64: 'aGk=' }] as const;
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
    const shown = (text: string) => body({ messages: [{ role: 'user', text, images }] }).messages[0].content;
    expect(shown('Look.')).toEqual([block, { type: 'text', text: 'Look.', cache_control: MARK }]);
    expect(shown('')).toEqual([{ ...block, cache_control: MARK }]);
  });

  it('keeps arguments that are no object as the text they are, and ids within the letters that are allowed', () => {
    const { messages } = body({
      messages: [
        { role: 'assistant', text: '', calls: [{ ...call('functions.f:0', '{"n":'), extra: { caller: 'direct' } }] },
        result('functions.f:0'),
      ],
    });
    expect(messages[0].content).toEqual([
      { caller: 'direct', type: 'tool_use', id: 'functions_f_0', name: 'f', input: { INVALID_JSON: '{"n":' } },
    ]);
    expect(messages[1].content[0].tool_use_id).toBe('functions_f_0');
  });
});

describe('the form of an answer', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] };
  const form = async (given: JsonSchema, ...quirks: readonly Quirk[]) => {
    const format = await formatToWire({ name: 'v', schema: given });
    const request = { model: 'm', system: '', messages: [], tools: [], toolChoice: 'auto' } as const;
    const parameters = { reasoning_effort: 'low' };
    return JSON.parse(createMessagesWriter().write({ ...request, parameters }, new Set(quirks), format)).output_config;
  };

  it('is asked for in the part of JSON Schema that the API takes, beside the effort', async () => {
    expect(await form(schema)).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'integer', description: '{minimum: 3}' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    });
    expect(await form(schema, 'no_format')).toEqual({ effort: 'low' });
  });

  it.each([
    [true],
    [{ type: 'object' }],
    [{ ...schema, additionalProperties: true }],
    [{ type: 'object', properties: { a: { type: 'object', patternProperties: { '^x': {} } } } }],
    [{ type: 'object', properties: { a: {} } }],
  ])('is not asked for where the API would forbid what the author allows: %j', async (open) => {
    expect(await form(open)).toEqual({ effort: 'low' });
  });
});

describe('parameters', () => {
  it('go by their names at the API; unknown ones pass, and those of the runner do not', () => {
    expect(
      parameters({
        temperature: 0.2,
        stop: 'END',
        max_tokens: 50,
        service_tier: 'auto',
        stream: false,
        tool_choice: 'x',
      }),
    ).toEqual({ temperature: 0.2, stop_sequences: ['END'], max_tokens: 50, service_tier: 'auto' });
    expect(parameters({ stop: ['a', 'b'] })).toEqual({ max_tokens: 32_000, stop_sequences: ['a', 'b'] });
  });

  it.each([
    ['high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['minimal', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['none', { thinking: { type: 'disabled' } }],
  ])('reasoning_effort %s is thinking by effort', (effort, expected) => {
    expect(parameters({ reasoning_effort: effort })).toEqual({ max_tokens: 32_000, ...expected });
  });

  it('reasoning_effort is a budget below max_tokens where a model knows no effort', () => {
    expect(parameters({ reasoning_effort: 'high' }, 'thinking_by_budget')).toEqual({
      max_tokens: 32_000,
      thinking: { type: 'enabled', budget_tokens: 19_200 },
    });
    const small = parameters({ reasoning_effort: 'low', max_tokens: 2_000 }, 'thinking_by_budget');
    expect(small.thinking.budget_tokens).toBe(1_024);
  });

  it('thinking that the author wrote is kept as it is', () => {
    const thinking = { type: 'enabled', budget_tokens: 2_048 };
    const output_config = { format: { type: 'json_schema' } };
    expect(parameters({ thinking, output_config, reasoning_effort: 'low' })).toEqual({
      max_tokens: 32_000,
      thinking,
      output_config: { ...output_config, effort: 'low' },
    });
  });

  it.each([
    [{}, 'any'],
    [{ reasoning_effort: 'none' }, 'any'],
    [{ reasoning_effort: 'low' }, 'auto'],
    [{ thinking: { type: 'enabled', budget_tokens: 2_048 } }, 'auto'],
  ])('with %j a demanded call is asked for as %s', (given, type) => {
    expect(body({ tools: [TOOL], toolChoice: 'required', parameters: given }).tool_choice).toEqual({ type });
  });
});
