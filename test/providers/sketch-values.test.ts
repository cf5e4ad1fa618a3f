import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, JsonSchema } from '../../src/core/json.js';
import { readPrompt } from '../../src/providers/prompt-text.js';
import { sketchValue } from '../../src/providers/sketch-values.js';

const PROMPT = `Direction: cheaper long context for small language models

Papers:
- P1: Sparse attention reduces the cost of long documents considerably.
- P2: Retrieval can stand in for a long context in many tasks.
- P3: State space models read long inputs in linear time.
See https://example.com/a for more.`;

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const sketch = (schema: JsonSchema, text = PROMPT, variant = 0): Json =>
  sketchValue(schema, { prompt: readPrompt(text), variant });

function expectValid(schema: JsonSchema, value: Json): void {
  const validate = ajv.compile(schema);
  expect(validate(value), `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`).toBe(true);
}

describe('a sketched value', () => {
  it.each<[string, JsonSchema, Json]>([
    ['const', { const: [1] }, [1]],
    ['the first enum', { enum: ['b', 'a'] }, 'b'],
    ['the first type that is not null', { type: ['null', 'boolean'] }, false],
    ['a pick from the prompt', { type: 'string', pattern: '^P[0-9]+$' }, 'P1'],
    ['a pick before the default', { type: 'string', pattern: '^P[0-9]+$', default: 'P9' }, 'P1'],
    ['the default', { type: 'string', default: 'd', examples: ['e'] }, 'd'],
    ['an example when the pattern cannot be made', { type: 'string', pattern: '^(?=z)zz$', examples: ['zz'] }, 'zz'],
    ['a number at its minimum', { type: 'integer', minimum: 3 }, 3],
    ['a number over an open bound', { type: 'number', exclusiveMinimum: 0, maximum: 0.5 }, 0.25],
    ['a multiple', { type: 'number', minimum: 1, multipleOf: 0.4 }, 1.6],
    ['a number at most its maximum', { type: 'number', maximum: -2 }, -2],
    ['zero', { type: 'integer' }, 0],
    ['false', { type: 'boolean' }, false],
    ['an address of the prompt', { type: 'string', format: 'uri' }, 'https://example.com/a'],
    ['null', { type: 'null' }, null],
    ['the first branch', { anyOf: [{ const: 1 }, { const: 2 }] }, 1],
    ['an empty list if it must be', { type: 'array', maxItems: 0 }, []],
    ['a tuple', { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: false }, [1, 2]],
    [
      'distinct picks',
      { type: 'array', minItems: 3, items: { type: 'string', pattern: '^P\\d$' } },
      ['P1', 'P2', 'P3'],
    ],
    [
      'distinct enums where they must be',
      { type: 'array', minItems: 2, uniqueItems: true, items: { enum: ['a', 'b'] } },
      ['a', 'b'],
    ],
    ['equal enums where they may be', { type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }, ['a', 'a']],
    [
      'what is required and not declared',
      { type: 'object', required: ['n'], additionalProperties: { const: 1 } },
      { n: 1 },
    ],
  ])('is %s', (_, schema, expected) => {
    expectValid(schema, sketch(schema));
    expect(sketch(schema)).toEqual(expected);
  });

  it.each([
    ['an empty text', { type: 'string', maxLength: 0 }],
    ['a very short text', { type: 'string', minLength: 3, maxLength: 5 }],
    ['a very long text', { type: 'string', minLength: 1_000, maxLength: 1_010 }],
    [
      'lists of texts in lists',
      {
        type: 'array',
        minItems: 3,
        uniqueItems: true,
        items: { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'string', maxLength: 12 } },
      },
    ],
    [
      'objects that must differ',
      {
        type: 'array',
        minItems: 3,
        uniqueItems: true,
        items: { type: 'object', properties: { b: { type: 'boolean' }, n: { type: 'integer' } }, required: ['b', 'n'] },
      },
    ],
    [
      'every format',
      {
        type: 'object',
        properties: Object.fromEntries(
          [
            'date',
            'date-time',
            'time',
            'duration',
            'email',
            'hostname',
            'ipv4',
            'ipv6',
            'uri',
            'uuid',
            'json-pointer',
            'relative-json-pointer',
            'regex',
            'uri-template',
          ].map((format) => [
            format,
            { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'string', format } },
          ]),
        ),
      },
    ],
    [
      'a tree',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            required: ['name', 'children'],
            properties: {
              name: { type: 'string' },
              children: { type: 'array', items: { $ref: '#/$defs/node' } },
              left: { $ref: '#/$defs/node' },
              right: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            },
          },
        },
      },
    ],
    [
      'allOf over references',
      {
        allOf: [{ $ref: '#/$defs/a' }, { required: ['y'], properties: { y: { type: 'integer', minimum: 2 } } }],
        $defs: {
          a: {
            type: 'object',
            properties: { x: { type: 'string' }, y: { type: 'integer', maximum: 5 } },
            required: ['x'],
          },
        },
      },
    ],
    [
      'a limit on properties',
      {
        type: 'object',
        maxProperties: 1,
        required: ['b'],
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        additionalProperties: false,
      },
    ],
  ] as [string, JsonSchema][])('satisfies the schema of %s', (_, schema) => {
    for (const variant of [0, 1, 2, 3]) expectValid(schema, sketch(schema, PROMPT, variant));
  });

  it('satisfies any schema of the honoured keywords, in any language', () => {
    const text = fc.record(
      {
        type: fc.constant('string'),
        minLength: fc.nat(30),
        maxLength: fc.integer({ min: 30, max: 300 }),
        default: fc.constant('x'),
      },
      { requiredKeys: ['type'] },
    );
    const number = fc.record(
      {
        type: fc.constantFrom('integer', 'number'),
        minimum: fc.integer({ min: -50, max: 5 }),
        maximum: fc.integer({ min: 10, max: 90 }),
        exclusiveMinimum: fc.integer({ min: -9, max: 9 }),
        multipleOf: fc.constantFrom(1, 2, 5),
      },
      { requiredKeys: ['type'] },
    );
    const leaf = fc.oneof(
      text,
      number,
      fc.record({ enum: fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 3 }) }),
      fc.constant({ type: 'boolean' }),
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
        fc
          .dictionary(fc.constantFrom('title', 'a_b', 'c'), tie('schema'), { maxKeys: 3 })
          .map((properties) => ({ type: 'object', properties: { ...properties }, required: Object.keys(properties) })),
        fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
      ) as fc.Arbitrary<JsonObject>,
    }));
    fc.assert(
      fc.property(
        schema,
        fc.constantFrom(PROMPT, '方向:平安夜的烟花\n烟花在夜空中绽放,人们抬头仰望。', ''),
        fc.nat(3),
        (made, prompt, variant) => {
          expectValid(made, sketch(made, prompt, variant));
        },
      ),
      { numRuns: 150 },
    );
  });
});

it.each<[string, JsonSchema]>([
  ['a list without end', { type: 'array', minItems: 1e9, items: { type: 'string' } }],
  [
    'lists of lists',
    { type: 'array', minItems: 1e4, items: { type: 'array', minItems: 1e4, items: { type: 'string' } } },
  ],
  [
    'objects that need five of their kind',
    {
      type: 'object',
      properties: Object.fromEntries([...'abcde'].map((name) => [name, { $ref: '#' }])),
      required: [...'abcde'],
    },
  ],
])('makes no more than there is room for: %s', (_, schema) => {
  expect(JSON.stringify(sketch(schema)).length).toBeLessThan(5_000_000);
});

it('an answer has an end, whatever its schema asks for', () => {
  const long = { type: 'string', minLength: 400_000_000 };
  expect((sketch(long) as string).length).toBeLessThan(200_000);
  const texts = sketch({ type: 'array', minItems: 20_000, items: { ...long, minLength: 90_000 } });
  expect(JSON.stringify(texts).length).toBeLessThan(2_000_000);
});
