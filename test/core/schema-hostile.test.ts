import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, JsonSchema } from '../../src/core/json.js';
import { compileSchema, schemaFaults, wrapForTool } from '../../src/core/schema.js';
import { complaintLine } from '../../src/core/schema-complaints.js';

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

async function errors(schema: Json): Promise<string[]> {
  const found = await schemaFaults(schema);
  return found
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${path.join('/')}: ${message}`);
}

/** Of a schema in which nothing is wrong. */
async function complaints(schema: JsonSchema, value: Json): Promise<string[]> {
  expect(await errors(schema)).toEqual([]);
  return (await compileSchema(schema))(value).map(complaintLine);
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

function nested(levels: number, around: (inner: Json) => Json, innermost: Json): Json {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
}

/** `$defs` of which each holds the next one as `link` says. */
function chain(length: number, link: (ref: JsonObject) => JsonObject): JsonObject {
  const links = times(length, (i) => [`d${i}`, link({ $ref: `#/$defs/d${i + 1}` })] as const);
  return { $defs: Object.fromEntries([...links, [`d${length}`, { type: 'string' }]]), $ref: '#/$defs/d0' };
}

describe('a schema that is too big is refused before anything walks it', () => {
  it.each<[string, Json]>([
    ...(['not', 'items', 'contains', 'additionalProperties'] as const).map((key): [string, Json] => [
      key,
      nested(50_000, (inner) => ({ [key]: inner }), {}),
    ]),
    ['properties', nested(50_000, (a) => ({ properties: { a } }), {})],
    ['allOf', nested(50_000, (inner) => ({ allOf: [inner] }), {})],
    ['$defs', nested(50_000, (a) => ({ $defs: { a } }), {})],
    ['the values of an enum', { enum: [nested(50_000, (inner) => [inner], [])] }],
  ])('nested without end: %s', async (_, schema) => {
    expect(await errors(schema)).toEqual([': The schema is nested more than 64 levels deep']);
  });

  it('of very many schemas, and of lists that no call could take as arguments', async () => {
    const properties = Object.fromEntries(times(5_000, (i) => [`p${i}`, true]));
    expect(await errors({ properties })).toEqual([': The schema holds more than 5000 schemas']);
    expect(await errors({ enum: times(300_000, String) })).toEqual([]);
    expect(await errors({ type: times(300_000, () => 'string') })).not.toEqual([]);
  });

  it('of very many mistakes: 100 are said', async () => {
    expect(await schemaFaults(Object.fromEntries(times(50_000, (i) => [`propertie${i}`, true])))).toHaveLength(100);
    const properties = Object.fromEntries(times(4_000, (i) => [`field${i}`, true]));
    expect(await errors({ required: times(40_000, (i) => `feld${i}`), properties })).toEqual([]);
  });
});

describe('references', () => {
  it.each<[string, JsonSchema, Json, string[]]>([
    [
      'to the whole, which has no $id',
      { type: 'object', properties: { a: { $ref: '#' } } },
      { a: { a: 1 } },
      ['/a/a: expected object, received number 1'],
    ],
    [
      'to the whole, which has one',
      { $id: 'https://x/a', type: 'object', properties: { a: { $ref: '#' } } },
      { a: 1 },
      ['/a: expected object, received number 1'],
    ],
    [
      'to the whole by its name',
      { $id: 'https://x/a', type: 'object', properties: { a: { $ref: 'a' } } },
      { a: 1 },
      ['/a: expected object, received number 1'],
    ],
    [
      'within a part that has a name',
      {
        $id: 'https://x/a',
        $defs: { q: { type: 'null' } },
        properties: { a: { $id: 'b', $ref: '#/$defs/q', $defs: { q: { type: 'string' } } } },
      },
      { a: 1 },
      ['/a: expected string, received number 1'],
    ],
    [
      'to a part with the address of a file',
      { $defs: { a: { $id: 'file:///etc/passwd', type: 'string' } }, $ref: 'file:///etc/passwd' },
      1,
      ['expected string, received number 1'],
    ],
    [
      'to a part with the address of a meta-schema',
      { $defs: { a: { $id: DRAFT_7, type: 'string' } }, $ref: DRAFT_7 },
      1,
      ['expected string, received number 1'],
    ],
    [
      'to a name that is no address',
      { $id: '::%%%', $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' },
      1,
      ['expected string, received number 1'],
    ],
    [
      'by $dynamicRef',
      { $dynamicAnchor: 'n', type: 'object', properties: { c: { $dynamicRef: '#n' } } },
      { c: { c: 1 } },
      ['/c/c: expected object, received number 1'],
    ],
    [
      'by $ref and $dynamicRef at once',
      {
        $defs: { a: { $dynamicAnchor: 'n', type: 'string' }, b: { maxLength: 1 } },
        properties: { c: { $dynamicRef: '#n', $ref: '#/$defs/b' } },
      },
      { c: 'long' },
      ['/c: expected at most 1 character, received 4'],
    ],
    [
      'to an anchor of draft 7',
      { $schema: DRAFT_7, definitions: { a: { $id: '#foo', type: 'string' } }, properties: { x: { $ref: '#foo' } } },
      { x: 1 },
      ['/x: expected string, received number 1'],
    ],
    [
      'to a name with odd characters',
      { $defs: { 'a/b~c d%"': { type: 'string' } }, $ref: '#/$defs/a~1b~0c d%25"' },
      1,
      ['expected string, received number 1'],
    ],
    [
      'to where an object has its prototype',
      JSON.parse('{"$defs":{"__proto__":{"type":"string"}},"$ref":"#/$defs/__proto__"}') as JsonObject,
      1,
      ['expected string, received number 1'],
    ],
    [
      'to a schema under another key',
      { 'x-parts': { a: { type: 'string' } }, $ref: '#/x-parts/a' },
      1,
      ['expected string, received number 1'],
    ],
  ])('%s', async (_, schema, value, expected) => {
    expect(await complaints(schema, value)).toEqual(expected);
    expect(
      (await complaints(wrapForTool(schema).parameters, wrapForTool(schema).wrapped ? { result: value } : value))
        .length,
    ).toBe(1);
  });

  it.each<[string, Json, string]>([
    [
      'the $id twice',
      { $defs: { a: { $id: 'https://x/q' }, b: { $id: 'https://x/q' } } },
      '$defs/b: The name "https://x/q" is given to more than one schema',
    ],
    [
      'the $id of the whole again',
      { $id: 'https://x/q', $defs: { a: { $id: 'q' } } },
      '$defs/a: The name "q" is given to more than one schema',
    ],
    [
      'an anchor twice',
      { $defs: { a: { $anchor: 'q' }, b: { $anchor: 'q' } } },
      '$defs/b: The name "#q" is given to more than one schema',
    ],
    [
      'into a part with a name, past its end',
      { $defs: { q: {} }, properties: { a: { $id: 'b', $ref: '#/$defs/q' } } },
      'properties/a/$ref: The reference "#/$defs/q" leads nowhere',
    ],
    ['to what every object has', { $ref: '#/constructor' }, '$ref: The reference "#/constructor" leads nowhere'],
    [
      'to the length of a list',
      { allOf: [{}], $ref: '#/allOf/length' },
      '$ref: The reference "#/allOf/length" leads nowhere',
    ],
    ['to a meta-schema', { $ref: DRAFT_7 }, `$ref: The reference "${DRAFT_7}" leads out of the schema`],
    [
      'to a hostile part that stands under no keyword',
      { default: { pattern: '^(a+)+$' }, $ref: '#/default' },
      'default/pattern: The pattern "^(a+)+$" is refused: ',
    ],
    [
      'to a part that is no schema',
      { enum: [{ type: 'bogus' }], $ref: '#/enum/0' },
      'enum/0/type: "type": expected one of',
    ],
    [
      'round and round, by anchors',
      { $anchor: 'n', allOf: [{ $ref: '#n' }] },
      'allOf/0/$ref: The reference "#n" leads back to itself',
    ],
    [
      'round and round, by names',
      { $id: 'https://x/n', not: { $ref: 'https://x/n' } },
      'not/$ref: The reference "https://x/n" leads back to itself',
    ],
    [
      'round and round, by $dynamicRef',
      { $dynamicAnchor: 'n', $dynamicRef: '#n' },
      '$dynamicRef: The reference "#n" leads back to itself',
    ],
    [
      'round and round, where a field is there',
      { dependentSchemas: { a: { $ref: '#' } } },
      'dependentSchemas/a/$ref: The reference "#" leads back to itself',
    ],
    [
      'that double',
      chain(30, (ref) => ({ allOf: [ref, ref] })),
      '$defs/d18: More than 10000 schemas apply to one value',
    ],
    [
      'that double in branches',
      chain(30, (ref) => ({ if: ref, else: ref, anyOf: [ref] })),
      'More than 10000 schemas apply to one value',
    ],
    ['in a long row', chain(400, (ref) => ref), 'More than 200 references and combinations follow one another'],
  ])('that cannot be followed are refused: %s', async (_, schema, expected) => {
    const found = await errors(schema);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });
});

describe('what a schema says is not passed over in silence', () => {
  it.each<[string, Json, string]>([
    ['another draft in a part', { properties: { a: { $schema: DRAFT_7 } } }, 'error properties/a/$schema'],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }, 'error $schema'],
    ['draft 4', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'error $schema'],
    ['a dialect that every object has', { $schema: 'constructor' }, 'error $schema'],
    ['$data', { properties: { m: { minimum: { $data: '1/b' } } } }, 'error properties/m/minimum'],
    ['$recursiveRef', { $recursiveRef: '#' }, 'warning $recursiveRef'],
    [
      'a property that cannot be checked',
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as Json,
      'warning properties',
    ],
    ['no values', { enum: [] }, 'error enum'],
    ['a multiple of nothing', { multipleOf: 0 }, 'error multipleOf'],
  ])('%s', async (_, schema, expected) => {
    expect((await schemaFaults(schema)).map(({ severity, path }) => `${severity} ${path.join('/')}`)).toEqual([
      expected,
    ]);
  });
});

describe('patterns', () => {
  it.each<[string, string]>([
    ['groups without end', `${'('.repeat(2_000)}a${')'.repeat(2_000)}`],
    ['repetitions of repetitions, written out', `${'(?:'.repeat(40)}^${'){2}'.repeat(40)}`],
    ['very many ways into a loop', `^(${times(399, (i) => String.fromCodePoint(0x4e00 + (i % 26))).join('|')})*$`],
    [
      'very many characters',
      `^[${times(2_000, (i) => String.fromCodePoint(0x4e00 + 2 * i)).join('')}]*[${times(2_000, (i) => String.fromCodePoint(0x4e01 + 2 * i)).join('')}]*$`,
    ],
    ['very long', 'a'.repeat(100_000)],
  ])('that cannot be judged are refused: %s', async (_, pattern) => {
    for (const schema of [
      { pattern },
      { patternProperties: { [pattern]: true } },
      { propertyNames: { pattern } },
      { contentSchema: { pattern } },
    ]) {
      const found = await errors(schema);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(/is refused: /);
      expect(found[0]?.length).toBeLessThan(250);
    }
  });

  it('of one schema are judged with one allowance, equal ones once', async () => {
    const costly = (i: number) => `^(?:[a-z]{1,8}x?){1,8}$|${i}([a-z]*b){1,8}[a-z]*`;
    const found = await errors({
      properties: Object.fromEntries(times(300, (i) => [`p${i}`, { pattern: costly(i) }])),
    });
    expect(found.at(-1)).toContain('it is too intricate to be checked');
    const plain = Object.fromEntries(times(4_000, (i) => [`p${i}`, { pattern: '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$' }]));
    expect(await errors({ properties: plain })).toEqual([]);
  });
});

describe('checking a value', () => {
  it('is given up where its schema comes to each part in more and more ways', async () => {
    const schema = { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] };
    expect(
      await complaints(
        schema,
        nested(60, (a) => ({ a }), 'x'),
      ),
    ).toEqual(['the value cannot be checked against the schema: it took more than 5 s']);
    expect(await complaints({ type: 'string' }, 1)).toHaveLength(1);
  }, 30_000);

  it('says that a value is nested too deeply, however it is described', async () => {
    const deep = nested(100_000, (a) => ({ a }), 1);
    const words = ['the value is nested too deeply to be checked'];
    expect(await complaints({ type: 'object', properties: { a: { $ref: '#' } } }, deep)).toEqual(words);
    expect(await complaints({ uniqueItems: true }, [deep, deep])).toEqual(words);
  });

  it('of a long list whose items must differ takes a time that grows with it', async () => {
    const items = times(100_000, (a) => ({ a, b: [a] }));
    expect(await complaints({ uniqueItems: true }, items)).toEqual([]);
    expect(await complaints({ uniqueItems: true }, [...items, { b: [7], a: 7 }])).toEqual([
      'the items 7 and 100000 are equal; every item must be different',
    ]);
    expect(await complaints({ uniqueItems: false }, [1, 1])).toEqual([]);
  });

  it('in which everything is wrong names the first 20 mistakes', async () => {
    const list = times(100_000, (i) => i);
    expect(await complaints({ items: { type: 'string' } }, list)).toHaveLength(20);
    expect(await complaints({ items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, list)).toHaveLength(20);
  });

  it('runs nothing that a schema says', async () => {
    const words = ["a'];process.exit(9);//", '`${process.exit(9)}`', '\u2028', '*/ process.exit(9) /*'];
    for (const word of words) {
      const schema = {
        properties: { [word]: { const: word } },
        patternProperties: { '^x$': { enum: [word] } },
        $comment: word,
        title: word,
        format: word,
      };
      expect(await complaints(schema, { [word]: 1, x: 1 })).toHaveLength(2);
    }
  });
});
