import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, ModelRequest } from '../../src/core/model.js';
import { createRequestWriter, type RequestText } from '../../src/providers/request-body.js';

const request: ModelRequest = { model: 'm', system: 'S', messages: [], tools: [], toolChoice: 'auto', parameters: {} };
const none = new Set<never>();

/** Their texts instead of pieces. */
function textWriter() {
  const { write } = createRequestWriter();
  return (...asked: Parameters<typeof write>) => textOf(write(...asked));
}
const textOf = ({ pieces }: RequestText) => Buffer.concat(pieces).toString('utf8');

describe('a request body', () => {
  it('shares 99 % of its bytes with the next one of a long conversation', () => {
    const write = textWriter();
    const messages: Message[] = Array.from({ length: 300 }, (_, i) => ({ role: 'user', text: `${i} `.repeat(100) }));
    const before = write({ ...request, messages: messages.slice(0, 299) }, none);
    const after = write({ ...request, messages }, none);
    const shared = [...before].findIndex((char, i) => after[i] !== char);
    expect(shared / before.length).toBeGreaterThan(0.99);
  });

  it('serialises a message once, however often it is sent', () => {
    const write = textWriter();
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
    const write = textWriter();
    const text = '"\\\n\u2028 ]}\ud83d';
    const body = JSON.parse(write({ ...request, messages: [{ role: 'user', text }] }, none));
    expect(body.messages[1].content).toBe(text);
  });

  it('lets no parameter replace what the runner decides', () => {
    const write = textWriter();
    const parameters = { stream: false, messages: [], n: 3, model: 'other', temperature: 0.5 };
    const body = JSON.parse(write({ ...request, parameters }, none));
    expect(body).toMatchObject({ model: 'm', stream: true, temperature: 0.5, messages: [{ role: 'system' }] });
    expect(body).not.toHaveProperty('n');
  });

  it('leaves parallel_tool_calls and tools out where there are none', () => {
    const body = JSON.parse(textWriter()(request, none));
    expect(Object.keys(body)).toEqual(['model', 'stream', 'stream_options', 'messages']);
  });

  it('shows images behind the text, in the message that they are in; one without is as it would be', () => {
    const write = textWriter();
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
    const write = textWriter();
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
    const write = textWriter();
    const tools = [{ name: 'resolve', description: '', parameters: {} }];
    const all = new Set(['auto_choice_only', 'no_stream_options', 'max_completion_tokens', 'no_parallel_key'] as const);
    const parameters = { max_tokens: 5, parallel_tool_calls: false };
    const body = JSON.parse(write({ ...request, tools, toolChoice: 'required', parameters }, all));
    expect(body).toMatchObject({ tool_choice: 'auto', max_completion_tokens: 5 });
    for (const key of ['stream_options', 'max_tokens', 'parallel_tool_calls']) expect(body).not.toHaveProperty(key);
  });

  it('says how long it is, and is what a writer without a memory makes of it; what comes later leaves it as it was', () => {
    const messages = ['', 'a', 'ü', '日本', '\ud83d\ude00', '\ud83d'].map((text): Message => ({ role: 'user', text }));
    const quirks = fc.constantFrom<ReadonlySet<'echo_reasoning' | 'no_stream_options'>>(
      none,
      new Set(['echo_reasoning']),
      new Set(['no_stream_options']),
    );
    const asked = fc.record({
      system: fc.constantFrom('', 'S'),
      messages: fc.array(fc.constantFrom(...messages), { maxLength: 6 }),
      quirks,
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 20 }), (all) => {
        const { write } = createRequestWriter();
        const written = all.map(({ quirks, ...more }) => write({ ...request, ...more }, quirks));
        const alone = all.map(({ quirks, ...more }) => textWriter()({ ...request, ...more }, quirks));
        expect(written.map(textOf)).toEqual(alone);
        expect(written.map(({ characters }) => characters)).toEqual(alone.map(({ length }) => length));
      }),
    );
  });
});
