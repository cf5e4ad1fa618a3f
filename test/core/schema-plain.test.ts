import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json.js';
import { compileSchema } from '../../src/core/schema.js';
import { fitsPlainly } from '../../src/core/schema-plain.js';

const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('a value that is told to fit', () => {
  it.each<[string, Json, Json]>([
    ['a text', { type: 'string', default: 'x', description: 'y' }, 'x'],
    ['a path', { type: 'string', format: 'path' }, '/a'],
    ['a whole number in its bounds', { type: 'integer', minimum: 2, maximum: 6 }, 3],
    ['one of some', { enum: ['plain', 'poetic'] }, 'poetic'],
    ['a text of one character', { type: 'string', minLength: 1, maxLength: 1 }, '😀'],
    [
      'inputs',
      closed({ year: { type: 'integer' }, style: { enum: ['a', 'b'] } }, ['year']),
      { year: 2024, style: 'b' },
    ],
  ])('is %s', (_, schema, value) => {
    expect(fitsPlainly(schema, value)).toBe(true);
  });

  it.each<[string, Json, Json]>([
    ['of another type', { type: 'integer' }, '3'],
    ['out of bounds', { type: 'number', maximum: 1 }, 2],
    ['not among those allowed', { enum: ['a'] }, 'b'],
    ['without a field that is required', closed({ a: { type: 'string' } }, ['a']), {}],
    ['with a field that is not there', closed({}), { a: 1 }],
    ['under a keyword that is not looked at', { type: 'string', pattern: '^a' }, 'a'],
  ])('is never one %s', (_, schema, value) => {
    expect(fitsPlainly(schema, value)).toBe(false);
  });

  it('satisfies its schema', async () => {
    const scalar = fc.oneof(
      fc.constantFrom('', 'a', 'ab', '😀'),
      fc.integer({ min: -2, max: 4 }),
      fc.boolean(),
      fc.constant(null),
    );
    const bound = fc.integer({ min: -1, max: 3 });
    const part = fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array'),
        enum: fc.array(scalar, { minLength: 1, maxLength: 3 }),
        const: scalar,
        minimum: bound,
        maximum: bound,
        minLength: fc.nat(2),
        maxLength: fc.nat(2),
      },
      { requiredKeys: [] },
    );
    const schemas = fc.oneof(
      part,
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), part),
        required: fc.subarray(['a', 'b']),
        additionalProperties: fc.constant(false),
      }),
    );
    const values = fc.oneof(scalar, fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar));
    await fc.assert(
      fc.asyncProperty(schemas, values, async (schema, value) => {
        if (!fitsPlainly(schema as Json, value)) return;
        expect((await compileSchema(schema as JsonObject))(value)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
