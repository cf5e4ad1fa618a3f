import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, JsonSchema } from '../../src/core/json.js';
import { readPrompt } from '../../src/providers/prompt-text.js';
import { sketchValue } from '../../src/providers/sketch-values.js';

const PROMPT = `Direction: cheaper long context for small language models

Papers:
- P1: Sparse attention reduces the cost of long documents considerably.
- P2: Retrieval can stand in for a long context in many tasks.
- P3: State space models read long inputs in linear time.`;

const sketch = (schema: JsonSchema, text = PROMPT): Json =>
  sketchValue(schema, { prompt: readPrompt(text), variant: 0 });

describe('a sketched text', () => {
  it('has the lead phrase and the name of its field', () => {
    expect(sketch({ type: 'object', properties: { almost_prior: { type: 'string' } } })).toEqual({
      almost_prior: expect.stringMatching(/^cheaper long context for small language models: almost prior\. .+/),
    });
  });

  it('has at most twelve words where it is a title or short, and at most 400 characters anywhere', () => {
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, hook: { type: 'string', maxLength: 150 }, body: { type: 'string' } },
    };
    const long = `Topic: ${'many words that go on and on '.repeat(9)}\n${'A sentence that is rather long and says little. '.repeat(9)}`;
    const { title, hook, body } = sketch(schema, long) as Record<string, string>;
    expect(title?.split(' ').length).toBeLessThanOrEqual(12);
    expect(hook?.split(' ').length).toBeLessThanOrEqual(12);
    expect(body?.length).toBeLessThanOrEqual(400);
  });

  it('keeps the lead phrase in a language without spaces', () => {
    const value = sketch(
      { type: 'object', properties: { title: { type: 'string', maxLength: 40 } } },
      '方向:平安夜的烟花',
    );
    expect(value).toEqual({ title: '平安夜的烟花: title' });
  });

  it('makes cards of two queries differ in more than half of their lines, each with words of its query', () => {
    const fields = [
      'title',
      'hook',
      'bottleneck',
      'mechanism',
      'closes',
      'falsified_by',
      'budget',
      'almost_prior',
      'risk',
      'data',
      'metric',
      'baseline',
      'why_now',
      'next',
      'summary',
    ];
    const schema = { type: 'object', properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])) };
    const card = (query: string) =>
      Object.values(
        sketch(schema, PROMPT.replace('cheaper long context for small language models', query)) as JsonObject,
      );
    const a = card('robust speech recognition in noisy factories') as string[];
    const b = card('protein folding without templates') as string[];
    const same = a.filter((line, i) => line === b[i]);
    expect(same.length).toBeLessThan(a.length / 2);
    for (const line of a) expect(line).toContain('robust speech recognition');
  });

  it('goes through the sentences of the prompt from item to item', () => {
    const texts = sketch({ type: 'array', minItems: 3, items: { type: 'string' } }) as string[];
    const sentences = texts.map((text) => text.split('. ')[1]);
    expect(new Set(sentences).size).toBe(3);
  });
});
