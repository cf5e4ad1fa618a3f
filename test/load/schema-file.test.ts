import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, load, loadText, places } from './arena.js';

const step = (output: string) => `steps:\n  - id: a\n    output: ${output}\n    shell: { run: cat a.json }\n`;
const schemaOf = async (output: string, files: Record<string, string> = {}) => {
  const { plan, problems } = await loadText(step(output), files);
  expect(problems).toEqual([]);
  return plan?.steps[0]?.output?.json;
};

describe('a schema', () => {
  it.each([
    ['inline', '{ type: string }', {}, { type: 'string' }],
    ['in a JSON file', 's.json', { 's.json': '{"type":"string"}' }, { type: 'string' }],
    ['in a JSON file with a byte order mark', 's.json', { 's.json': '\uFEFF{"type":"string"}' }, { type: 'string' }],
    ['in a YAML file', 's.yaml', { 's.yaml': 'type: string\n' }, { type: 'string' }],
    ['of anything', 'true', {}, true],
  ])('%s is read', async (_, output, files, expected) => {
    expect(await schemaOf(output, files as Record<string, string>)).toEqual(expected);
  });

  it('takes in the files it refers to, and those of these', async () => {
    const json = await schemaOf('schemas/a.json', {
      'schemas/a.json':
        '{"type":"object","properties":{"p":{"$ref":"parts/p.json#/definitions/x"},"q":{"$ref":"./parts/p.json"}}}',
      'schemas/parts/p.json':
        '{"$id":"https://x/p","definitions":{"x":{"$ref":"#/definitions/y"},"y":{"type":"string"}},"$ref":"../back.json"}',
      'schemas/back.json': '{"type":"object","properties":{"again":{"$ref":"a.json"}}}',
    });
    expect(json).toEqual({
      type: 'object',
      properties: { p: { $ref: '#/$defs/p/definitions/x' }, q: { $ref: '#/$defs/p' } },
      $defs: {
        p: { definitions: { x: { $ref: '#/$defs/p/definitions/y' }, y: { type: 'string' } }, $ref: '#/$defs/back' },
        back: { type: 'object', properties: { again: { $ref: '#' } } },
      },
    });
  });

  it('keeps its own definitions apart from the ones it takes in', async () => {
    const json = await schemaOf('a.json', {
      'a.json': '{"$defs":{"p":{"type":"number"}},"properties":{"x":{"$ref":"p.json"},"y":{"$ref":"#/$defs/p"}}}',
      'p.json': '{"type":"string"}',
    });
    expect(json).toMatchObject({
      $defs: { p: { type: 'number' }, p_2: { type: 'string' } },
      properties: { x: { $ref: '#/$defs/p_2' } },
    });
  });

  it('finds an anchor in a file it refers to', async () => {
    const json = await schemaOf('a.json', {
      'a.json': '{"properties":{"x":{"$ref":"b.json#name"}}}',
      'b.json': '{"$defs":{"n":{"$anchor":"name","type":"string"}}}',
    });
    expect(json).toMatchObject({ properties: { x: { $ref: '#name' } } });
  });

  it('is checked in all its parts, also beside a reference that leads nowhere', async () => {
    const { problems } = await loadText(step('a.json'), {
      'a.json': '{"properties":{\n"x":{"$ref":"none.json"},\n"y":{"$ref":"b.json#/$defs/z"},\n"z":{"type":"strng"}}}',
      'b.json': '{}',
    });
    expect(places(problems)).toEqual(['schema-file 2:6', 'schema-ref 3:6', 'schema 4:6']);
  });

  it('leaves data alone that only looks like a reference', async () => {
    const json = {
      properties: { $ref: { type: 'string' }, const: { type: 'number' } },
      const: { $ref: 'nowhere.json' },
      examples: [{ $ref: 'x.json' }],
    };
    expect(await schemaOf('a.json', { 'a.json': JSON.stringify(json) })).toEqual(json);
  });

  it('may refer to the schemas of the project and of sibling skills', async () => {
    const dir = folder({
      'schemas/shared.json': '{"type":"string"}',
      'skills/two/schemas/t.json': '{"type":"number"}',
      'skills/one/pipeline.yaml': step(
        '{ properties: { a: { $ref: ../../schemas/shared.json }, b: { $ref: ../two/schemas/t.json } } }',
      ),
    });
    const { plan, problems } = await load('one', dir);
    expect(problems).toEqual([]);
    expect(plan?.steps[0]?.output?.json).toMatchObject({
      $defs: { shared: { type: 'string' }, t: { type: 'number' } },
    });
  });
});

describe('what is refused', () => {
  it.each([
    ['{', 'schema-json 1:2'],
    ['', 'schema-json 1:1'],
    ['{\n  "type": "object",\n}', 'schema-json 3:1'],
    ['[]', 'schema 1:1'],
    ['null', 'schema 1:1'],
    ['"x"', 'schema 1:1'],
    ['{"type":\n "strng"}', 'schema 1:2'],
    ['{"type":"string","pattern":"("}', 'schema 1:18'],
    ['{"$schema":"http://json-schema.org/draft-04/schema#"}', 'schema 1:2'],
    ['{"$ref":"http://127.0.0.1:9/s.json"}', 'schema-ref 1:2'],
    ['{"$ref":"file:///etc/passwd"}', 'schema-ref 1:2'],
    ['{"$ref":"../../x.json"}', 'schema-file 1:2'],
    ['{"$ref":"#/$defs/none"}', 'schema 1:2'],
    ['{"type":"string","type":"number"}', 'yaml-duplicate-key 1:18'],
    [`${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`, 'schema-json 1:449'],
  ])('a file with %j: %s', async (content, place) => {
    const { problems } = await loadText(step('s.json'), { 's.json': content });
    expect(problems.map(({ at }) => path.basename(at.file))).toEqual(['s.json']);
    expect(places(problems)).toEqual([place]);
  });

  it('a link that leads out of the skill', async () => {
    const dir = folder({ 'secret.json': '{}', 'skills/one/pipeline.yaml': step('s.json') });
    symlinkSync(path.join(dir, 'secret.json'), path.join(dir, 'skills/one/s.json'));
    expect((await load('one', dir)).problems[0]?.message).toContain('outside');
  });

  it('a mistake in a file that another one refers to, at its place there', async () => {
    const { problems } = await loadText(step('a.json'), {
      'a.json': '{"properties":{"x":{"$ref":"b.json"}}}',
      'b.json': '{\n  "properties": {\n    "y": { "type": "strng" }\n  }\n}',
    });
    expect(problems.map(({ at }) => `${path.basename(at.file)}:${at.line}:${at.column}`)).toEqual(['b.json:3:12']);
  });
});
