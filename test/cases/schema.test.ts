import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json, JsonSchema } from '../../src/core/json.js';
import { compileSchema, schemaFaults, wrapForTool } from '../../src/core/schema.js';
import { folder, load } from '../load/arena.js';
import { project } from '../support/project.js';

const PIPELINE = 'steps:\n  - id: a\n    shell: { run: echo hello }\n    output: s.json\n';
const loadSchema = (schema: string) =>
  load('one', folder({ 'skills/one/pipeline.yaml': PIPELINE, 'skills/one/s.json': schema }));
const complaints = async (schema: JsonSchema, value: Json) => (await compileSchema(schema))(value);

describe('schema-01: the dialect is that of $schema, and one that is not known is found before anything runs', () => {
  it.each([
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    undefined,
  ])('%s is used', async ($schema) => {
    const schema = { ...($schema ? { $schema } : {}), type: 'object', properties: { n: { type: 'integer' } } };
    expect((await loadSchema(JSON.stringify(schema))).problems).toEqual([]);
    expect(await complaints(schema, { n: 'x' })).toHaveLength(1);
  });

  // The design: draft 7 and 2020-12, so the two between them are refused as well.
  it.each([
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/draft-06/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://x/y',
  ])('%s is refused, with those that are supported', async ($schema) => {
    const { plan, problems } = await loadSchema(JSON.stringify({ $schema, type: 'object' }));
    expect(plan).toBeUndefined();
    expect(problems).toMatchObject([{ severity: 'error', rule: 'schema', at: { line: 1, column: 2 } }]);
    expect(problems[0]?.message).toMatch(/draft-07.*2020-12/);
  });
});

describe('schema-02: formats and keywords', () => {
  it('that are known are checked', async () => {
    const schema = { type: 'object', properties: { e: { type: 'string', format: 'email' } } };
    expect(await complaints(schema, { e: 'not an email' })).toHaveLength(1);
    expect(await complaints(schema, { e: 'a@example.org' })).toEqual([]);
  });

  it('that are not are one warning each at load; x- keywords are nobody’s business', async () => {
    const schema = { type: 'object', properties: { u: { type: 'string', format: 'foo' } }, example: {}, 'x-note': 1 };
    const { plan, problems } = await loadSchema(JSON.stringify(schema));
    expect(plan).toBeDefined();
    expect(problems.map(({ severity, message }) => `${severity} ${/"\w+"/.exec(message)?.[0]}`).sort()).toEqual([
      'warning "example"',
      'warning "foo"',
    ]);
    expect(await complaints(schema, { u: 'anything' })).toEqual([]);
  });
});

describe('schema-04: a reference never leaves the skill or reaches a network', () => {
  it.each(['file:///etc/passwd', '../../x.json', '#/$defs/none'])('%s is an error that names it', async ($ref) => {
    const { plan, problems } = await loadSchema(JSON.stringify({ $ref }));
    expect(plan).toBeUndefined();
    expect(problems).toMatchObject([{ severity: 'error', at: { line: 1, column: 2 } }]);
    expect(problems[0]?.message).toContain($ref);
  });

  it('an address is refused, and nobody is asked', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { problems } = await loadSchema(JSON.stringify({ $ref: `http://127.0.0.1:${port}/s.json` }));
    expect(problems).toMatchObject([{ severity: 'error', rule: 'schema-ref' }]);
    expect(asked).toBe(0);
  });
});

describe('schema-06: an output of any type is what the tool asks for, wrapped if it is no object', () => {
  it.each<[JsonSchema, Json]>([
    [{ type: 'array', items: { type: 'string' } }, ['a']],
    [{ type: 'string' }, 'a'],
    [{}, 3],
    [{ oneOf: [{ type: 'object' }, { type: 'array' }] }, []],
    [true, null],
  ])('%j', async (schema, value) => {
    const tool = wrapForTool(schema);
    expect(tool.parameters).toMatchObject({ type: 'object', required: ['result'] });
    expect(await schemaFaults(tool.parameters)).toEqual([]);
    expect(await complaints(tool.parameters, { result: value })).toEqual([]);
    expect(tool.unwrap({ result: value })).toEqual(value);
  });

  it('an object is not wrapped, also written as a list of one type', async () => {
    for (const schema of [{ type: 'object' }, { type: ['object'] }]) {
      const tool = wrapForTool(schema);
      const value = tool.wrapped ? { result: { a: 1 } } : { a: 1 };
      expect(await complaints(tool.parameters, value)).toEqual([]);
      expect(tool.unwrap(value)).toEqual({ a: 1 });
    }
  });

  it('in a run the result has exactly the type that was asked for', async () => {
    const ran = await project({
      'pipeline.yaml': `version: 1
name: t
steps:
  - { id: list, agent: { prompt: Name some. }, output: { type: array, items: { type: string }, minItems: 2, maxItems: 2 } }
  - { id: text, agent: { prompt: Name one. }, output: { type: string } }
result: { list: '\${{ steps.list.output }}', text: '\${{ steps.text.output }}' }
`,
    }).run();
    expect(ran).toMatchObject({
      status: 'done',
      result: { list: [expect.any(String), expect.any(String)], text: expect.any(String) },
    });
  });
});

describe('schema-08: a value is never turned into another type', () => {
  it.each<[string, JsonSchema, Json]>([
    ['a text for a number', { type: 'object', properties: { n: { type: 'number' } } }, { n: '5' }],
    ['null for a text', { type: 'object', properties: { s: { type: 'string' } } }, { s: null }],
    ['a field that every JavaScript object has', { type: 'object', required: ['toString'] }, {}],
    ['a field that is not allowed', { type: 'object', properties: {}, additionalProperties: false }, { more: 1 }],
  ])('%s is a complaint', async (_, schema, value) => {
    const before = JSON.stringify(value);
    expect(await complaints(schema, value)).toHaveLength(1);
    expect(JSON.stringify(value)).toBe(before);
  });
});

describe('schema-10: a schema file that is none is an error at load, with its place', () => {
  it.each([
    ['no JSON', '{', 's.json 1:2'],
    ['a list', '[]', 's.json 1:1'],
    ['null', 'null', 's.json 1:1'],
    ['a type that is none', '{"type":"strng"}', 's.json 1:2'],
    ['a pattern that is none', '{"pattern":"("}', 's.json 1:2'],
  ])('%s', async (_, written, place) => {
    const { plan, problems } = await loadSchema(written);
    expect(plan).toBeUndefined();
    expect(problems.map(({ severity, at }) => `${severity} ${path.basename(at.file)} ${at.line}:${at.column}`)).toEqual(
      [`error ${place}`],
    );
  });

  it('a file that is not there, or is a folder, is said where it is named', async () => {
    for (const isFolder of [false, true]) {
      const dir = folder({ 'skills/one/pipeline.yaml': PIPELINE });
      if (isFolder) mkdirSync(path.join(dir, 'skills/one/s.json'));
      const { plan, problems } = await load('one', dir);
      expect(plan).toBeUndefined();
      expect(problems).toMatchObject([{ severity: 'error', rule: 'schema-file', at: { line: 4, column: 13 } }]);
    }
  });

  it('a byte order mark is no mistake', async () => {
    expect((await loadSchema('\ufeff{}')).problems).toEqual([]);
  });
});
