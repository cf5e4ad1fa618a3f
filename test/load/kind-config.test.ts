import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { checkConfig } from '../../src/load/kind-config.js';
import { takeNotes } from '../../src/load/notes.js';
import { sourceOf } from '../../src/load/text.js';
import { parseYaml } from '../../src/load/yaml-text.js';

function said(schema: JsonObject, yaml: string): string[] {
  const source = sourceOf('/f.yaml', yaml);
  const { root } = parseYaml(source);
  if (!root) throw new Error('not YAML');
  const notes = takeNotes();
  checkConfig(root, { what: '"kind"', schema }, { source, notes });
  return notes.problems.map(({ message, at, hint }) => `${at.line}:${at.column} ${message}${hint ? ` ${hint}` : ''}`);
}

const object = (properties: JsonObject, more: JsonObject = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});

describe('a config', () => {
  it.each([
    [object({ n: { type: 'integer' } }), 'n: 1'],
    [object({ n: { type: 'integer' } }), 'n: ${{ steps.a.output }}'],
    [object({ s: { enum: ['a', 'b'] } }), 's: x ${{ query }}'],
    [object({ l: { type: 'array', items: { type: 'string' } } }), 'l: [a, "${{ b }}"]'],
    [object({ x: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } }), 'x: [a]'],
    [object({ x: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'boolean' } } }), 'x: true'],
    [{ type: 'object', additionalProperties: { type: ['string', 'null'] } }, 'a: b\nc:'],
    [{ type: 'object' }, 'anything: { at: [all] }'],
  ])('%j accepts %j', (schema, yaml) => {
    expect(said(schema as JsonObject, yaml)).toEqual([]);
  });

  it.each([
    [object({ n: { type: 'integer' } }), 'n: 1.5', '1:4 "n" must be a whole number, not 1.5.'],
    [object({ n: { type: 'integer' } }), 'n: one ${{ x }}', '1:4 "n" must be a whole number, not "one ${{ x }}".'],
    [object({ n: { type: 'number', minimum: 0, maximum: 2 } }), 'n: 3', '1:4 "n" must be at most 2, not 3.'],
    [
      object({ s: { enum: ['react', 'llm'] } }),
      's: raect',
      '1:4 "s" must be "react" or "llm", not "raect". Did you mean "react"?',
    ],
    [object({ s: { type: 'string', pattern: '^a' } }), 's: b', '1:4 "s" must match ^a, not be "b".'],
    [
      object({ prompt: {} }, { required: ['prompt'] }),
      'promt: x',
      '1:1 "kind" has no key "promt". Did you mean "prompt"?',
    ],
    [object({ prompt: {} }, { required: ['prompt'] }), '{}', '1:1 "kind" needs "prompt".'],
    [object({ l: { type: 'array', minItems: 1 } }), 'l: []', '1:4 "l" must have at least 1 item.'],
    [
      object({ l: { type: 'array', items: { type: 'string' } } }),
      'l: [a, 2]',
      '1:8 Item 2 of "l" must be a text, not 2.',
    ],
    [
      object({ x: { oneOf: [{ type: 'string' }, { type: 'array' }] } }),
      'x: 1',
      '1:4 "x" must be a text or a list, not 1.',
    ],
    [
      object({ x: { anyOf: [{ type: 'string' }, object({ a: {} })] } }),
      'x: { b: 1 }',
      '1:6 "x" has no key "b". Did you mean "a"?',
    ],
    [object({ x: object({ a: { type: 'string' } }) }), 'x:\n  a: 1', '2:6 "a" must be a text, not 1.'],
    [object({}), '[]', '1:1 "kind" must be a mapping, not a list.'],
  ])('%j refuses %j: %s', (schema, yaml, expected) => {
    expect(said(schema as JsonObject, yaml)).toEqual([expected]);
  });
});
