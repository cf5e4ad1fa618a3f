import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { createAssembler } from '../../src/providers/assemble.js';
import { createSseReader } from '../../src/providers/sse.js';

const WIRE = fileURLToPath(new URL('../fixtures/wire', import.meta.url));

interface Stream {
  readonly reply: { readonly frames?: readonly string[] };
}

const streams = readdirSync(WIRE)
  .map((file) => JSON.parse(readFileSync(`${WIRE}/${file}`, 'utf8')) as Stream)
  .flatMap(({ reply }) => (reply.frames && reply.frames.length > 0 ? [reply.frames.join('')] : []));

function assemble(bytes: Uint8Array, cuts: readonly number[]) {
  const assembler = createAssembler({ label: 'host', uniqueId: (proposed) => proposed ?? 'new' });
  const reader = createSseReader();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  try {
    for (const [i, end] of places.slice(1).entries()) {
      for (const event of reader.push(bytes.subarray(places[i], end))) assembler.push(event);
    }
    for (const event of reader.end()) assembler.push(event);
    return assembler.finish();
  } catch (error) {
    if (error instanceof Fault) return error.data;
    throw error;
  }
}

describe('assembling a reply', () => {
  it('comes to the same end wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.array(fc.nat(5_000), { maxLength: 60 }), (stream, cuts) => {
        const bytes = new TextEncoder().encode(stream);
        expect(assemble(bytes, cuts)).toEqual(assemble(bytes, []));
      }),
    );
  });

  it('never takes the beginning of a stream for the whole of it', () => {
    const bytes = new TextEncoder().encode(
      'data: {"choices":[{"index":0,"delta":{"content":"whole"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    );
    for (let end = 0; end < bytes.length - 3; end++)
      expect(assemble(bytes.subarray(0, end), [])).toHaveProperty('code');
  });

  it('joins 20 000 fragments of one argument', () => {
    const assembler = createAssembler({ label: 'host', uniqueId: () => 'a' });
    const fragment = (text: string) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }],
    });
    assembler.pushChunk({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] } }],
    });
    for (let i = 0; i < 20_000; i++) assembler.push({ data: JSON.stringify(fragment('ab')) });
    assembler.push({ data: '[DONE]' });
    expect(assembler.finish().calls[0]?.arguments.length).toBe(40_000);
  });

  it('reads content that is a list of parts', () => {
    const assembler = createAssembler({ label: 'host', uniqueId: () => 'a' });
    assembler.pushChunk({
      choices: [{ delta: { content: [{ type: 'text', text: 'A' }, { type: 'other' }] }, finish_reason: 'stop' }],
    });
    expect(assembler.finish().text).toBe('A');
  });
});

describe('usage', () => {
  const usageOf = (usage: object) => {
    const assembler = createAssembler({ label: 'host', uniqueId: () => 'a' });
    assembler.pushChunk({ choices: [{ delta: { content: 'A' }, finish_reason: 'stop' }], usage });
    return assembler.finish().usage;
  };

  it('is read with what came from a cache, by either name', () => {
    const counts = { prompt_tokens: 9, completion_tokens: 2 };
    const usage = { inputTokens: 9, outputTokens: 2, cachedTokens: 4 };
    expect(usageOf({ ...counts, prompt_tokens_details: { cached_tokens: 4 } })).toEqual(usage);
    expect(usageOf({ ...counts, prompt_cache_hit_tokens: 4, prompt_tokens_details: null })).toEqual(usage);
  });

  it.each([
    ['OpenRouter', { prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } }],
    ['a gateway', { prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 3 } }],
    ['a gateway', { prompt_cache_hit_tokens: 4, cache_creation_input_tokens: 3 }],
    ['a gateway', { prompt_cache_hit_tokens: 4, cache_write_tokens: 3 }],
  ])('is read with what went into a cache, as %s tells it: %j', (_, told) => {
    const usage = { inputTokens: 9, outputTokens: 2, cachedTokens: 4, cacheWrittenTokens: 3 };
    expect(usageOf({ prompt_tokens: 9, completion_tokens: 2, ...told })).toEqual(usage);
  });

  it('is unknown, not 0, when half of it is missing', () => {
    expect(usageOf({ prompt_tokens: 9 })).toBeUndefined();
    expect(usageOf({ completion_tokens: 2 })).toBeUndefined();
  });
});

it('parts a reply whose thought began in the prompt', () => {
  const assembler = createAssembler({ label: 'host', uniqueId: () => 'a' });
  for (const content of ['so, bec', 'ause\n</thi', 'nk>\n\nYes.'])
    assembler.pushChunk({ choices: [{ delta: { content } }] });
  assembler.push({ data: '[DONE]' });
  expect(assembler.finish()).toMatchObject({ text: 'Yes.', reasoning: 'so, because\n' });
});
