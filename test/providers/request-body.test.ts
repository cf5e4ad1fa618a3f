import { describe, expect, it } from 'vitest';
import type { Message, ModelRequest } from '../../src/core/model.js';
import { createRequestWriter } from '../../src/providers/request-body.js';

const request: ModelRequest = { model: 'm', system: 'S', messages: [], tools: [], toolChoice: 'auto', parameters: {} };
const none = new Set<never>();

describe('a request body', () => {
  it('shares 99 % of its bytes with the next one of a long conversation', () => {
    const { write } = createRequestWriter();
    const messages: Message[] = Array.from({ length: 300 }, (_, i) => ({ role: 'user', text: `${i} `.repeat(100) }));
    const before = write({ ...request, messages: messages.slice(0, 299) }, none);
    const after = write({ ...request, messages }, none);
    const shared = [...before].findIndex((char, i) => after[i] !== char);
    expect(shared / before.length).toBeGreaterThan(0.99);
  });

  it('serialises a message once, however often it is sent', () => {
    const { write } = createRequestWriter();
    let reads = 0;
    const message = {
      role: 'user',
      get text() {
        reads++;
        return 'Hi';
      },
    } as const;
    for (let i = 0; i < 10; i++) write({ ...request, messages: [message] }, none);
    expect(reads).toBe(1);
  });

  it('is JSON, whatever the texts hold', () => {
    const { write } = createRequestWriter();
    const text = '"\\\n\u2028 ]}\ud83d';
    const body = JSON.parse(write({ ...request, messages: [{ role: 'user', text }] }, none));
    expect(body.messages[1].content).toBe(text);
  });

  it('lets no parameter replace what the runner decides', () => {
    const { write } = createRequestWriter();
    const parameters = { stream: false, messages: [], n: 3, model: 'other', temperature: 0.5 };
    const body = JSON.parse(write({ ...request, parameters }, none));
    expect(body).toMatchObject({ model: 'm', stream: true, temperature: 0.5, messages: [{ role: 'system' }] });
    expect(body).not.toHaveProperty('n');
  });

  it('leaves parallel_tool_calls and tools out where there are none', () => {
    const body = JSON.parse(createRequestWriter().write(request, none));
    expect(Object.keys(body)).toEqual(['model', 'stream', 'stream_options', 'messages']);
  });

  it('shows images behind the text, in the message that they are in; one without is as it would be', () => {
    const { write } = createRequestWriter();
    const images = [{ name: 'a.png', mediaType: 'image/png', base64: 'aGk=' }] as const;
    const url = 'data:image/png;base64,aGk=';
    const messages: Message[] = [
      { role: 'user', text: 'Look.', images },
      { role: 'user', text: '', images },
      { role: 'user', text: 'Well?', images: [] },
    ];
    expect(JSON.parse(write({ ...request, system: '', messages }, none)).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('asks for the form of an answer, not strictly and under a name that is allowed, before what grows', () => {
    const { write } = createRequestWriter();
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const parameters = { response_format: { type: 'text' } };
    const body = JSON.parse(write({ ...request, parameters, format: { name: 'rounds/1/äudit', schema } }, none));
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'rounds_1__udit', schema, strict: false },
    });
    expect(Object.keys(body).at(-1)).toBe('messages');
    expect(JSON.parse(write({ ...request, format: { name: 'any', schema: true } }, none))).not.toHaveProperty(
      'response_format',
    );
  });

  it('writes each quirk its own way', () => {
    const { write } = createRequestWriter();
    const tools = [{ name: 'resolve', description: '', parameters: {} }];
    const all = new Set(['auto_choice_only', 'no_stream_options', 'max_completion_tokens', 'no_parallel_key'] as const);
    const parameters = { max_tokens: 5, parallel_tool_calls: false };
    const body = JSON.parse(write({ ...request, tools, toolChoice: 'required', parameters }, all));
    expect(body).toMatchObject({ tool_choice: 'auto', max_completion_tokens: 5 });
    for (const key of ['stream_options', 'max_tokens', 'parallel_tool_calls']) expect(body).not.toHaveProperty(key);
  });
});
