import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashJson, type Json, type JsonSchema } from '../../src/core/json.js';
import { compileSchema, schemaFaults, wrapForTool } from '../../src/core/schema.js';
import { complaintLine } from '../../src/core/schema-complaints.js';
import { schemaDialect } from '../../src/core/schema-dialect.js';

/** A keyword; as a plain key it would look like a promise. */
const THEN = 'then';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

async function complaints(schema: JsonSchema, value: Json): Promise<string[]> {
  return (await compileSchema(schema))(value).map(complaintLine);
}

async function faults(schema: Json): Promise<string[]> {
  return (await schemaFaults(schema)).map(({ severity, path, message }) => `${severity} ${path.join('/')}: ${message}`);
}

describe('complaints', () => {
  const papers = {
    type: 'object',
    properties: { papers: { type: 'array', items: { type: 'object', properties: { year: { type: 'integer' } } } } },
  };
  const union = {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'a' }, n: { type: 'number' } }, required: ['kind', 'n'] },
      { type: 'object', properties: { kind: { const: 'b' }, s: { type: 'string' } }, required: ['kind', 's'] },
    ],
  };

  it.each<[JsonSchema, Json, string[]]>([
    [papers, { papers: [{ year: '2020' }] }, ['/papers/0/year: expected integer, received string "2020"']],
    [papers, { papers: [{ year: 2020.5 }] }, ['/papers/0/year: expected integer, received number 2020.5']],
    [papers, { papers: [{ year: 2020 }, {}] }, []],
    [papers, null, ['expected object, received null']],
    [true, { any: 1 }, []],
    [false, 1, ['no value is allowed here']],
    [{}, 'x', []],
    [{ type: ['string', 'null'] }, 1, ['expected string or null, received number 1']],
    [{ type: 'string' }, {}, ['expected string, received an empty object']],
    [{ type: 'string' }, { a: 1, b: 2 }, ['expected string, received an object with a, b']],
    [{ type: 'string' }, [1, 2], ['expected string, received a list of 2']],
    [{ type: 'object', required: ['toString'] }, {}, ['the field "toString" is missing']],
    [
      { type: 'object', required: ['__proto__', 'constructor'] },
      {},
      ['the field "__proto__" is missing', 'the field "constructor" is missing'],
    ],
    [{ properties: { toString: { type: 'string' }, constructor: { type: 'string' } } }, {}, []],
    [{ additionalProperties: false }, { a: 1 }, ['the field "a" is not allowed']],
    [{ additionalProperties: false }, JSON.parse('{"__proto__": 1}') as Json, ['the field "__proto__" is not allowed']],
    [{ enum: ['a', 'b', 1] }, 'c', ['expected one of "a", "b", 1, received string "c"']],
    [{ const: { a: 1 } }, 'c', ['expected {"a":1}, received string "c"']],
    [{ pattern: '^a$' }, 'b', ['expected a string that matches ^a$, received string "b"']],
    [{ format: 'email' }, 'b', ['expected a string of the format email, received string "b"']],
    [{ format: 'date' }, '2024-02-30', ['expected a string of the format date, received string "2024-02-30"']],
    [{ minLength: 2 }, '😀', ['expected at least 2 characters, received 1']],
    [{ maxItems: 1 }, [1, 2], ['expected at most 1 item, received 2']],
    [{ minProperties: 1 }, {}, ['expected at least 1 field, received 0']],
    [{ minimum: 3 }, 2, ['expected a number >= 3, received number 2']],
    [{ exclusiveMaximum: 3 }, 3, ['expected a number < 3, received number 3']],
    [{ multipleOf: 2 }, 3, ['expected a multiple of 2, received number 3']],
    [{ uniqueItems: true }, [1, 2, 1], ['the items 0 and 2 are equal; every item must be different']],
    [{ not: { type: 'string' } }, 'x', ['string "x" is what the schema excludes']],
    [{ contains: { const: 1 } }, [2], ['expected 1, received number 2']],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ['expected string or null, received number 1']],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'c', ['expected "a" or "b", received string "c"']],
    [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'array' }] }, 'c', ['expected one of "a", "b", received string "c"']],
    [
      { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      ['number 3 fits more than one of the allowed forms; it must fit exactly one'],
    ],
    [union, { kind: 'a', n: 'x' }, ['/n: expected number, received string "x"']],
    [union, { kind: 'b' }, ['the field "s" is missing']],
    [union, 7, ['expected object, received number 7']],
    [{ if: { required: ['a'] }, [THEN]: { required: ['b'] } }, { a: 1 }, ['the field "b" is missing']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['the field "b" is missing; "a" needs it']],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], ['there may be at most 1 items']],
    [
      { $schema: DRAFT_7, items: [{ type: 'string' }], additionalItems: false },
      [1],
      ['/0: expected string, received number 1'],
    ],
    [
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { b: 1 },
      ['the field "b" is not allowed'],
    ],
    [{ properties: { 'a/b~c': { type: 'null' } } }, { 'a/b~c': 1 }, ['/a~1b~0c: expected null, received number 1']],
    [
      {
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['v'] } },
        $ref: '#/$defs/node',
      },
      { v: 1, next: { v: 1, next: {} } },
      ['/next/next: the field "v" is missing'],
    ],
    [
      {
        $defs: { n: { type: 'null' }, s: { type: 'string' } },
        properties: { a: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/s' }] } },
      },
      { a: 1 },
      ['/a: expected null or string, received number 1'],
    ],
  ])('%j of %j', async (schema, value, expected) => {
    const before = JSON.stringify(value);
    const said = await complaints(schema, value);
    if (schema !== true && typeof schema === 'object' && 'contains' in schema) expect(said.length).toBeGreaterThan(0);
    else expect(said).toEqual(expected);
    expect(JSON.stringify(value)).toBe(before);
  });

  it('are at most 20', async () => {
    const schema = { items: { type: 'string' } };
    expect(
      await complaints(
        schema,
        Array.from({ length: 100 }, (_, index) => index),
      ),
    ).toHaveLength(20);
  });

  it('neither fill in defaults nor turn one type into another', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'x' }, n: { type: 'number' } } };
    const value = { n: '1' };
    expect(await complaints(schema, value)).toHaveLength(1);
    expect(value).toEqual({ n: '1' });
  });

  it('hold the path, what was expected and what came', async () => {
    const validate = await compileSchema(papers);
    expect(validate({ papers: 1 })).toEqual([
      {
        from: 'schema',
        path: '/papers',
        message: 'expected array, received number 1',
        expected: 'array',
        received: 'number 1',
      },
    ]);
  });

  it('say that a value is nested too deeply instead of overflowing', async () => {
    let value: Json = [];
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    const validate = await compileSchema({
      $defs: { l: { type: 'array', items: { $ref: '#/$defs/l' } } },
      $ref: '#/$defs/l',
    });
    expect(validate(value).map(complaintLine)).toEqual(['the value is nested too deeply to be checked']);
  });
});

describe('compiling', () => {
  it('happens once for equal schemas, whatever the order of their keys', () => {
    expect(compileSchema({ type: 'string', minLength: 1 })).toBe(compileSchema({ minLength: 1, type: 'string' }));
  });

  it('takes the same $id twice, and different schemas with one $id', async () => {
    const id = 'https://example.org/one';
    expect(await complaints({ $id: id, type: 'string' }, 1)).toHaveLength(1);
    expect(await complaints({ type: 'string', $id: id }, 'a')).toHaveLength(0);
    expect(await complaints({ $id: id, type: 'number' }, 1)).toHaveLength(0);
  });

  it('tells dialects apart', () => {
    expect(schemaDialect(true)).toEqual({ dialect: '2020-12' });
    expect(schemaDialect({ $schema: DRAFT_7 })).toEqual({ dialect: 'draft-07' });
    expect(schemaDialect({ $schema: 'https://json-schema.org/draft/2020-12/schema' })).toEqual({ dialect: '2020-12' });
    expect(schemaDialect({ $schema: 'http://json-schema.org/draft-04/schema#' })).toHaveProperty(
      'problem',
      expect.stringContaining('draft-07'),
    );
  });
});

describe('faults of a schema', () => {
  it.each<[Json, string[]]>([
    [true, []],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }, []],
    [{ $schema: DRAFT_7, items: [{ type: 'string' }], definitions: { a: {} }, additionalItems: false }, []],
    [{ $defs: { a: { $anchor: 'here' } }, $ref: '#here' }, []],
    [{ properties: { [THEN]: { type: 'string' }, pattern: { pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' } } }, []],
    [{ properties: { next: { $ref: '#' } } }, []],
    [{ 'x-order': 1, default: { tipe: 1 } }, []],
    [[], ['error : A schema is a map, true or false, not []']],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      [
        'error $schema: The dialect "http://json-schema.org/draft-04/schema#" is not known; supported are http://json-schema.org/draft-07/schema# and https://json-schema.org/draft/2020-12/schema',
      ],
    ],
    [
      { type: 'strin' },
      [
        'error type: "type": expected one of "array", "boolean", "integer", "null", "number", "object", "string", received string "strin"',
      ],
    ],
    [
      { properties: { a: { minLength: -1 } } },
      ['error properties/a/minLength: "minLength": expected a number >= 0, received number -1'],
    ],
    [{ anyOf: [{ enum: 1 }] }, ['error anyOf/0/enum: "enum": expected array, received number 1']],
    [{ items: [{ type: 'string' }] }, ['error items: "items": expected object or boolean, received a list of 1']],
    [{ pattern: '(' }, ['error pattern: The pattern "(" is refused: ']],
    [{ pattern: '^(a+)+$' }, ['error pattern: The pattern "^(a+)+$" is refused: ']],
    [{ patternProperties: { '(x*)*': true } }, ['error patternProperties: The pattern "(x*)*" is refused: ']],
    [{ $ref: '#/$defs/nope', $defs: { nop: true } }, ['error $ref: The reference "#/$defs/nope" leads nowhere']],
    [
      { $ref: 'https://example.org/s.json' },
      ['error $ref: The reference "https://example.org/s.json" leads out of the schema'],
    ],
    [{ $ref: 'other.json' }, ['error $ref: The reference "other.json" leads out of the schema']],
    [{ $ref: '#' }, ['error $ref: The reference "#" leads back to itself without going deeper into the value']],
    [
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } },
      [
        'error $defs/a/anyOf/0/$ref: The reference "#/$defs/a" leads back to itself without going deeper into the value',
      ],
    ],
    [
      { properties: { titel: true }, required: ['title'], additionalProperties: false },
      ['error required/0: No value can satisfy this: the field "title" is required, but not among the properties'],
    ],
    [{ minItems: 5, maxItems: 2 }, ['error minItems: No value can satisfy this: minItems is 5, and maxItems is 2']],
    [{ required: ['x'], patternProperties: { '^x': true }, additionalProperties: false }, []],
    [{ properties: { a: true }, required: ['b'] }, []],
    [
      { properties: { verdict: true }, required: ['verdcit'] },
      ['warning required/0: The field "verdcit" is required, but not among the properties'],
    ],
    [{ properties: { items: true, item: true }, required: ['item', 'items'] }, []],
    [{ properties: { item: true }, required: ['item', 'items'] }, []],
    [{ properties: { item: true }, required: ['items'], allOf: [{ properties: { items: true } }] }, []],
    [{ properties: { item: true }, required: ['items'], patternProperties: { s$: true } }, []],
    [{ format: 'emial' }, ['warning format: The format "emial" is not known and constrains nothing']],
    [{ propertys: {} }, ['warning propertys: The keyword "propertys" is not known and constrains nothing']],
    [
      { $schema: DRAFT_7, prefixItems: [] },
      ['warning prefixItems: The keyword "prefixItems" belongs to the other draft and constrains nothing here'],
    ],
  ])('%j', async (schema, expected) => {
    const found = await faults(schema);
    expect(found).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text);
  });

  it('include a nesting without end', async () => {
    let schema: Json = {};
    for (let depth = 0; depth < 70; depth++) schema = { properties: { a: schema } };
    expect(await faults(schema)).toEqual(['error : The schema is nested more than 64 levels deep']);
  });
});

describe('a schema as the parameters of a tool', () => {
  it('stays as it is when it is certainly an object', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const tool = wrapForTool(schema);
    expect(tool.wrapped).toBe(false);
    expect(tool.parameters).toBe(schema);
    expect(tool.unwrap({ a: 'x' })).toEqual({ a: 'x' });
  });

  it('is wrapped otherwise, its references still resolving', async () => {
    const schema = {
      $id: 'https://example.org/tree',
      type: 'array',
      items: { anyOf: [{ $ref: '#/$defs/leaf' }, { $ref: '#' }, { const: { $ref: '#' } }] },
      $defs: { leaf: { type: 'string' } },
    };
    const tool = wrapForTool(schema);
    expect(await faults(tool.parameters)).toEqual([]);
    expect(await complaints(tool.parameters, { result: ['a', ['b'], { $ref: '#' }] })).toEqual([]);
    expect(await complaints(tool.parameters, { result: [1] })).not.toEqual([]);
    expect(tool.unwrap({ result: ['a'] })).toEqual(['a']);
  });

  it.each<[JsonSchema]>([[true], [{}], [{ type: ['object', 'null'] }], [{ anyOf: [{ type: 'object' }] }]])(
    '%j is wrapped',
    (schema) => {
      expect(wrapForTool(schema).wrapped).toBe(true);
    },
  );

  it('accepts what the schema accepts', async () => {
    const schema = { type: ['number', 'string'] };
    const tool = wrapForTool(schema);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const alone = await complaints(schema, value as Json);
        const wrapped = await complaints(tool.parameters, { result: value as Json });
        expect(wrapped.length).toBe(alone.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('precompiled checks', () => {
  it('need no Ajv, bundled or not, and say what Ajv says', async () => {
    const script = pathToFileURL(fileURLToPath(new URL('../../scripts/precompile.mjs', import.meta.url))).href;
    const { precompileSource } = (await import(script)) as { precompileSource(schemas: JsonSchema[]): Promise<string> };
    const schema = {
      type: 'object',
      properties: { at: { format: 'uri' }, name: { minLength: 2 } },
      required: ['toString'],
    };
    const source = await precompileSource([schema]);
    const folder = await mkdtemp(join(tmpdir(), 'precompiled-'));
    try {
      const resolveDir = fileURLToPath(new URL('../..', import.meta.url));
      const outfile = join(folder, 'bundle.mjs');
      const result = await build({
        stdin: { contents: source, resolveDir },
        bundle: true,
        format: 'esm',
        platform: 'node',
        outfile,
        metafile: true,
        logLevel: 'silent',
      });
      expect(Object.keys(result.metafile.inputs).filter((file) => file.includes('ajv/dist/compile'))).toEqual([]);
      await writeFile(join(folder, 'package.json'), '{"type": "module"}');
      const { precompiled } = (await import(
        pathToFileURL(outfile).href
      )) as typeof import('../../src/core/precompiled.js');
      const check = precompiled[hashJson(schema)];
      expect(check?.({ at: 'no uri', name: 'x' })).toBe(false);
      expect(check?.errors?.map(({ keyword }) => keyword).sort()).toEqual(['format', 'minLength', 'required']);
      expect(precompiled['meta:2020-12']?.({ properties: { a: { type: 'object' } } })).toBe(true);
      expect(precompiled['meta:2020-12']?.({ properties: { a: { type: 'objekt' } } })).toBe(false);
      expect(precompiled['meta:draft-07']?.({ type: 7 })).toBe(false);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
