import { describe, expect, it } from 'vitest';
import { flatten, sketchUnsupported, typeOf } from '../../src/providers/sketch-schema.js';

describe('what a schema asks beyond the sketch', () => {
  it('is named with its place', () => {
    const schema = {
      type: 'object',
      properties: {
        'a/b': { not: { const: 1 } },
        list: { type: 'array', items: { contains: { const: 1 } }, contains: { const: 2 } },
        code: { type: 'string', pattern: '^(?=.*\\d).+$' },
        other: { $ref: '#/$defs/other' },
        gone: { $ref: '#/$defs/gone' },
      },
      if: { required: ['list'] },
      dependentRequired: { a: ['b'] },
      minProperties: 9,
      $defs: { other: { propertyNames: { maxLength: 3 } }, unused: { not: {} } },
    };
    expect(sketchUnsupported(schema)).toEqual([
      { path: '', keyword: 'if' },
      { path: '', keyword: 'dependentRequired' },
      { path: '', keyword: 'minProperties' },
      { path: '/properties/a~1b', keyword: 'not' },
      { path: '/properties/list', keyword: 'contains' },
      { path: '/properties/list/items', keyword: 'contains' },
      { path: '/properties/code', keyword: 'pattern' },
      { path: '/$defs/other', keyword: 'propertyNames' },
      { path: '/properties/gone', keyword: '$ref' },
    ]);
  });

  it.each([
    ['minLength', { type: 'string', minLength: 400_000_000 }],
    ['minLength', { type: 'string', minLength: 100_001 }],
    ['minItems', { type: 'array', minItems: 400_000_000, items: { type: 'null' } }],
    ['pattern', { type: 'string', pattern: '^(((a{2000}){2000}){2000}){2000}$' }],
    ['pattern', { type: 'string', pattern: '^((((){2000}){2000}){2000}){2000}$' }],
  ])('is a size that there is no room for: %s of %j', (keyword, schema) => {
    expect(sketchUnsupported({ type: 'object', properties: { a: schema } })).toEqual([
      { path: '/properties/a', keyword },
    ]);
    expect(sketchUnsupported({ type: 'string', minLength: 100_000 })).toEqual([]);
  });

  it('is nothing for a recursive schema of honoured keywords, and for a pattern with an example', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' }, id: { pattern: '^(?=a)a$', examples: ['a'] } } };
    expect(sketchUnsupported(node)).toEqual([]);
  });
});

describe('flattening', () => {
  const root = { $defs: { text: { type: 'string', maxLength: 9 } } };

  it('follows references, with what stands beside them', () => {
    expect(flatten({ $ref: '#/$defs/text', minLength: 2 }, root)).toEqual({
      type: 'string',
      minLength: 2,
      maxLength: 9,
    });
  });

  it('merges allOf so that both hold', () => {
    const schema = {
      allOf: [
        { type: ['number', 'string'], minimum: 1, maximum: 9, required: ['a'], enum: [1, 2, 3] },
        { type: 'integer', minimum: 3, maximum: 20, required: ['b'], enum: [3, 2] },
      ],
    };
    expect(flatten(schema, schema)).toEqual({
      type: 'integer',
      minimum: 3,
      maximum: 9,
      required: ['a', 'b'],
      enum: [2, 3],
    });
  });

  it('takes the first branch, or the one asked for', () => {
    const schema = { oneOf: [{ const: 1 }, { const: 2 }] };
    expect([0, 1, 2].map((branch) => flatten(schema, schema, branch).const)).toEqual([1, 2, 1]);
  });

  it('ends on a reference to itself', () => {
    const schema = { $ref: '#', type: 'string' };
    expect(flatten(schema, schema)).toMatchObject({ type: 'string' });
  });
});

it.each([
  [{ type: ['null', 'integer'] }, 'integer'],
  [{ type: 'null' }, 'null'],
  [{ properties: {} }, 'object'],
  [{ items: {} }, 'array'],
  [{ minimum: 1 }, 'number'],
  [{}, 'string'],
])('the type of %j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});
