import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerForm, answerWords, readAnswer } from '../../src/agent/answer-form.js';
import { createRedactor } from '../../src/core/secrets.js';

const OBJECT = answerForm({ type: 'object' });
const plain = (text: string) => text;
const TEXT = answerForm({ type: 'string' });

describe('an answer that is JSON', () => {
  it('is what was written, bare or in one fence', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, isFenced) => {
        const text = JSON.stringify(value, null, 2);
        const read = readAnswer(isFenced ? `\`\`\`json\n${text}\n\`\`\`\n` : ` ${text}\n`, OBJECT, plain);
        expect(read).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  it.each([
    'Here it is: {"a":1}',
    '{"a":1} {"b":2}',
    '```json\n{"a":1}\n```\nDone.',
    '```\n{"a":1}\n```',
    '```json\n{"a":1}\n```\n```json\n{"b":1}\n```',
    "{'a':1}",
    '{"a":1,}',
    '{"a":1e999}',
  ])('is not mended: %j', (text) => {
    expect(readAnswer(text, OBJECT, plain)).toEqual({ problem: expect.stringMatching(/^it is not JSON: /) });
  });

  it.each([
    [{ type: 'array' as const }, '{"result":[1]}', [1]],
    [{ type: 'array' as const }, '[1]', [1]],
    [true, '{"result":{"a":1}}', { a: 1 }],
  ])('of the schema %j is taken from its wrapping: %s', (schema, text, value) => {
    expect(readAnswer(text, answerForm(schema), plain)).toEqual({ value });
  });

  it('is put by name where it holds a secret, before it is cut, and not cited by the parser either', () => {
    const key = 'sk-0123456789abcdefghijklmnopqrstuvwxyz';
    const redact = (text: string) => createRedactor({ A_KEY: key })?.text(text) ?? '';
    const problems = [key, `{"a": ${key} and so on, and on}`, `${'x'.repeat(60)}${key}`].map((text) => {
      const read = readAnswer(text, OBJECT, redact);
      return 'problem' in read ? read.problem : '';
    });
    for (const problem of problems) {
      expect(problem).toMatch(/^it is not JSON: .* is not valid JSON; it begins with ".*«redacted:/);
      expect(problem).not.toMatch(/sk-0|4567/);
    }
  });

  it('is marked where it is cut, so that a secret is told by its beginning there', () => {
    const read = readAnswer(`{"a":1} ${'b'.repeat(100)}`, OBJECT, plain);
    expect(read).toEqual({ problem: expect.stringMatching(/begins with "\{\\"a\\":1\} b{72}…"$/) });
  });

  it('is asked for with the schema that the provider is told', () => {
    const form = answerForm({ type: 'array', items: { type: 'string' } });
    expect(answerWords(form)).toContain(form.type === 'json' ? JSON.stringify(form.format.schema) : 'nothing');
  });
});

describe('an answer that is text', () => {
  it('is taken as it stands, also where it looks like JSON', () => {
    expect(readAnswer(' ```json\n{}\n``` \n', TEXT, plain)).toEqual({ value: '```json\n{}\n```' });
    expect(answerForm(undefined)).toEqual({ type: 'text', schema: undefined });
  });

  it.each(['', ' \n\t'])('is not empty: %j', (text) => {
    expect(readAnswer(text, TEXT, plain)).toEqual({ problem: 'it is empty' });
    expect(readAnswer(text, OBJECT, plain)).toEqual({ problem: 'it is empty' });
  });

  it('is told of a schema that bounds it further, and of no other', () => {
    expect(answerWords(answerForm({ type: 'string', enum: ['yes', 'no'] }))).toContain('"enum":["yes","no"]');
    expect(answerWords(TEXT)).not.toContain('schema');
  });
});
