import { truncateSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { project, type TestProject } from '../support/project.js';
import { folder, load, loadText } from './arena.js';

const step = (output: string, inputs = '') =>
  `${inputs}steps:\n  - id: a\n    output: ${output}\n    shell: { run: cat a.json }\n`;
const said = ({ problems }: Awaited<ReturnType<typeof loadText>>) =>
  problems.map(({ severity, rule, message, at }) => `${severity} ${rule} ${path.basename(at.file)}: ${message}`);

describe('a schema of a skill, as an output or as an input', () => {
  it.each([
    ['{ pattern: "^(a+)+$" }', 'error schema', 'is refused: a loop stands directly in a loop'],
    [
      '{ properties: { a: { pattern: "(a|a)*$" } } }',
      'error schema',
      'is refused: a loop can read one text in two ways',
    ],
    ['{ $defs: { a: { $anchor: q }, b: { $anchor: q } } }', 'error schema', 'The name "#q" is given to more than one'],
    ['{ $defs: { a: { $anchor: q, allOf: [{ $ref: "#q" }] } } }', 'error schema', 'leads back to itself'],
    ['{ $ref: "http://127.0.0.1:9/s.json" }', 'error schema-ref', 'schemas are never fetched'],
    ['{ $ref: "//127.0.0.1/s.json" }', 'error schema-ref', 'schemas are never fetched'],
    ['{ $ref: "file:///etc/passwd" }', 'error schema-ref', 'schemas are never fetched'],
    ['{ $ref: "data:application/json,{}" }', 'error schema-ref', 'schemas are never fetched'],
    ['{ $ref: /etc/hostname }', 'error schema-file', 'It lies outside of the skill'],
    ['{ $ref: "..%2f..%2fsecret.json" }', 'error schema-file', 'It lies outside of the skill'],
    ['{ $ref: /dev/zero }', 'error schema-file', 'It is not a regular file'],
    ['{ enum: [] }', 'error schema', 'No value can satisfy this'],
  ])('%s', async (schema, kind, message) => {
    for (const text of [step(schema), step('true', `inputs: { x: ${schema} }\n`)]) {
      const dir = folder({ 'secret.json': '{"type":"string"}', 'skills/one/pipeline.yaml': text });
      const found = await load('one', dir);
      expect(found.plan).toBeUndefined();
      expect(said(found)).toEqual([expect.stringContaining(`${kind} pipeline.yaml: `)]);
      expect(said(found)[0]).toContain(message);
    }
  });

  it('a default that takes too many ways to check is a mistake, not a hang', async () => {
    const inputs = 'inputs: { x: { anyOf: [{ $ref: "#/properties/x/$defs/d0" }], default: 1, $defs: {';
    const defs = Array.from(
      { length: 30 },
      (_, i) => `d${i}: { allOf: [{ $ref: "#d${i + 1}" }, { $ref: "#d${i + 1}" }], $anchor: d${i} }`,
    );
    const found = await loadText(step('true', `${inputs} ${defs.join(', ')}, d30: { $anchor: d30 } } } }\n`));
    expect(said(found).join()).toContain('More than 10000 schemas apply to one value');
  });
});

describe('a schema in a file', () => {
  it('of 50 MB is not read', async () => {
    const dir = folder({ 'skills/one/s.json': '{}', 'skills/one/pipeline.yaml': step('s.json') });
    truncateSync(path.join(dir, 'skills/one/s.json'), 50_000_000);
    expect(said(await load('one', dir))).toEqual([
      expect.stringContaining('It has 50000000 bytes; at most 1 MB are read'),
    ]);
  });

  it.each([
    ['properties', '{"properties":{"a":', '}}'],
    ['a list', '{"enum":[', ']}'],
    ['allOf', '{"allOf":[', ']}'],
  ])('nested without end by %s is refused', async (_, open, close) => {
    const found = await loadText(step('s.json'), { 's.json': `${open.repeat(20_000)}{}${close.repeat(20_000)}` });
    expect(found.plan).toBeUndefined();
    expect(said(found)).toEqual([expect.stringContaining('nested')]);
  });

  it('takes in 100 files at most, whether they name each other in a row or are named side by side', async () => {
    const count = 300;
    const row = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `s${i}.json`,
        JSON.stringify({ properties: { a: { $ref: `s${i + 1}.json` } } }),
      ]),
    );
    const all = JSON.stringify({ anyOf: Object.keys(row).map((file) => ({ $ref: file })) });
    for (const name of ['s0.json', 'all.json']) {
      const found = await loadText(step(name), { ...row, [`s${count}.json`]: '{}', 'all.json': all });
      expect(found.plan).toBeUndefined();
      expect(said(found).filter((line) => line.startsWith('error'))).toEqual([
        expect.stringContaining('takes in more than 100 files'),
      ]);
    }
  });

  it('goes by its own name among those that claim the same, also where it is taken in by another one', async () => {
    const name = 'https://example.org/s';
    const { plan, problems } = await loadText(step('a.json'), {
      'a.json': JSON.stringify({
        $id: name,
        properties: { own: { $ref: `${name}#/$defs/q` }, other: { $ref: 'b.json' }, third: { $ref: 'c.json' } },
        $defs: { q: { type: 'string' } },
      }),
      'b.json': JSON.stringify({ $id: name, $ref: `${name}#/$defs/q`, $defs: { q: { type: 'number' } } }),
      'c.json': JSON.stringify({ $id: 'b.json', $ref: 'b.json#/$defs/q', $defs: { q: { type: 'boolean' } } }),
    });
    expect(problems).toEqual([]);
    expect(plan?.steps[0]?.output?.json).toMatchObject({
      properties: { other: { $ref: '#/$defs/b' }, third: { $ref: '#/$defs/c' } },
      $defs: { b: { $ref: '#/$defs/b/$defs/q' }, c: { $ref: '#/$defs/c/$defs/q' } },
    });
  });

  it('with very many references and names is read in a time that grows with them', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`d${i}`, { $id: `d${i}`, type: 'string' }]),
    );
    const anyOf = Array.from({ length: 2_000 }, (_, i) => ({ $ref: `d${i}` }));
    expect((await loadText(step('s.json'), { 's.json': JSON.stringify({ $defs, anyOf }) })).problems).toEqual([]);
  });
});

it('two drafts stand side by side in a plan, two skills of one process may have the same $id', async () => {
  const $id = 'https://example.org/s';
  const of = (value: Json) => ({ $id, properties: { value } });
  const pipeline = `version: 1
name: t
inputs: { list: { type: array, default: [x] } }
steps:
  - { id: a, set: { value: '\${{ inputs.list }}' }, output: a.json }
  - { id: b, set: { value: '\${{ inputs.list }}' }, output: b.json }
result: \${{ [steps.a.output, steps.b.output] }}
`;
  const texts = project({
    'pipeline.yaml': pipeline,
    'a.json': {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...of({ items: [{ $ref: '#/definitions/s' }], additionalItems: true }),
      definitions: { s: { type: 'string' } },
    },
    'b.json': { ...of({ prefixItems: [{ $ref: '#/$defs/s' }], items: false }), $defs: { s: { type: 'string' } } },
  });
  const numbers = project({
    'pipeline.yaml': pipeline,
    'a.json': of({ prefixItems: [{ type: 'number' }] }),
    'b.json': of({ prefixItems: [{ type: 'number' }] }),
  });
  const codes = async (at: TestProject, list: Json) => {
    const { status, events } = await at.run({ inputs: { list } });
    return [status, ...events.flatMap((event) => (event.type === 'step_failed' ? [event.path, event.fault.code] : []))];
  };
  expect(await codes(texts, ['x'])).toEqual(['done']);
  expect(await codes(numbers, [1])).toEqual(['done']);
  expect(await codes(texts, [1])).toEqual(['failed', 'a', 'step.output']);
  expect(await codes(texts, ['x', 'y'])).toEqual(['failed', 'b', 'step.output']);
  expect(await codes(numbers, ['x'])).toEqual(['failed', 'a', 'step.output']);
});

it('a step whose schema is recursive takes a value of any depth that is JSON here, and no other', async () => {
  const at = project({
    'pipeline.yaml': `version: 1
name: t
steps: [{ id: a, shell: { run: 'cat "$PIPELINE_PROJECT_DIR/v.json"' }, output: s.json }]
result: \${{ steps.a.output }}
`,
    's.json': { type: 'object', properties: { a: { $ref: '#' } }, additionalProperties: false },
  });
  const deep = (levels: number, last: string) => `${'{"a":'.repeat(levels)}${last}${'}'.repeat(levels)}`;
  const outcome = async (text: string) => {
    at.write('v.json', text);
    const ran = await at.run();
    return ran.status === 'done' ? ran.status : `${ran.fault?.code} ${ran.fault?.message}`;
  };
  expect(await outcome(deep(200, '{}'))).toBe('done');
  expect(await outcome(deep(200, '1'))).toContain('expected object, received number 1');
  expect(await outcome(deep(10_000, '{}'))).toContain('it is nested deeper than 256 levels');
});
