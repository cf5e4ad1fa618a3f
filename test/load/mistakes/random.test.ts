import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/core/json.js';
import { desk, fileText } from './table.js';
import { flow, MARK, type Style, withoutMark, written, type Yaml } from './writing.js';

/** Names that are far from each other, so that one letter never makes another of them. */
const NAMES = ['title', 'verdict', 'papers', 'question', 'budget', 'evidence', 'author', 'gaps', 'weight', 'closest'];
const WORDS = ['advance', 'revise', 'drop', 'unknown'];

const mapOf = (names: readonly string[], any: fc.Arbitrary<JsonObject>) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), any, fc.boolean()), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 4,
    })
    .map(
      (fields): JsonObject => ({
        type: 'object',
        properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
        required: fields.flatMap(([name, , isRequired]) => (isRequired ? [name] : [])),
      }),
    );

const schemas = fc.letrec<{ any: JsonObject; map: JsonObject; one: JsonObject; other: JsonObject }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonObject>(
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: ['string', 'null'] },
    ),
    fc
      .uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
      .map((words): JsonObject => ({ enum: words })),
    tie('map'),
    tie('map').map((map): JsonObject => ({ anyOf: [map, { type: 'null' }] })),
    tie('any').map((items): JsonObject => ({ type: 'array', items })),
    fc.tuple(tie('any'), tie('any')).map((prefixItems): JsonObject => ({ type: 'array', prefixItems, items: false })),
    fc.tuple(tie('one'), tie('other')).map(([a, b]): JsonObject => ({ allOf: [a, b] })),
  ),
  map: mapOf(NAMES, tie('any')),
  // Parts of one value that do not speak of the same fields.
  one: mapOf(NAMES.slice(0, 5), tie('any')),
  other: mapOf(NAMES.slice(5), tie('any')),
}));

/** Every way into a value that its schema allows, guarded where the schema asks for it. Keys stand in ‹ ›. */
function ways(schema: Json, path: string, depth = 0): string[] {
  if (!isObject(schema) || depth > 3) return [];
  if (Array.isArray(schema.allOf)) return schema.allOf.flatMap((part) => ways(part, path, depth));
  if (Array.isArray(schema.anyOf))
    return ways(schema.anyOf[0] ?? null, path, depth).map((way) => `${path} == null ? null : (${way})`);
  if (Array.isArray(schema.enum)) return [path, ...schema.enum.map((word) => `${path} == ‹${JSON.stringify(word)}›`)];
  if (Array.isArray(schema.type)) return [`default(${path}, "x").size()`, `${path} != null && ${path}.contains("x")`];
  switch (schema.type) {
    case 'string':
      return [`${path}.size()`];
    case 'number':
      return [`${path} + 1`];
    case 'boolean':
      return [`${path} ? 1 : 2`];
    case 'array': {
      if (Array.isArray(schema.prefixItems))
        return schema.prefixItems.flatMap((item, place) => ways(item, `${path}[${place}]`, depth + 1));
      const variable = `x${depth}`;
      return ways(schema.items ?? null, variable, depth + 1).flatMap((way) => [
        `${path}.map(${variable}, ${way})`,
        way.replaceAll(variable, `${path}[0]`),
      ]);
    }
    default: {
      const required = schema.required as readonly string[];
      return Object.entries(schema.properties as JsonObject).flatMap(([name, inner]) => {
        const field = `${path}.‹${name}›`;
        const guard = (way: string): string[] =>
          required.includes(name) ? [way] : [`has(${field}) ? (${way}) : null`, `!has(${field}) ? null : (${way})`];
        return ways(inner, field, depth + 1).flatMap(guard);
      });
    }
  }
}

const plain = (way: string) => way.replaceAll(/[‹›]/g, '');

/** The key at this place of the list of keys, with another letter in it and a mark where it begins. */
function misspelled(way: string, place: number): string {
  let at = -1;
  return way.replaceAll(/‹([^›]*)›/g, (_, key: string) => {
    at++;
    if (at !== place) return key;
    const middle = Math.floor(key.length / 2);
    return `${MARK}${key.slice(0, middle)}q${key.slice(middle + 1)}`;
  });
}

const pipeline = (schema: JsonObject, values: readonly Yaml[]) =>
  fileText([
    { id: 'a', shell: { run: 'cat a.json' }, output: flow(schema as { readonly [key: string]: Yaml }) },
    { id: 'reader', set: { v: values } },
  ]) ?? '';

const cases = schemas.map
  .filter((schema) => ways(schema, 'steps.a.output').length > 0)
  .chain((schema) => {
    const all = ways(schema, 'steps.a.output').slice(0, 60);
    const picked = fc.constantFrom(...all);
    return fc.record({
      schema: fc.constant(schema),
      all: fc.constant(all),
      way: picked,
      place: fc.nat(),
      style: fc.constantFrom<Style>('single', 'double', 'literal', 'folded'),
    });
  });

describe('a random schema', () => {
  it('is no cause of alarm for any reference that is taken from it', async () => {
    const look = desk();
    await fc.assert(
      fc.asyncProperty(cases, async ({ schema, all, style }) => {
        const text = pipeline(
          schema,
          all.map((way) => written(style, `\${{ ${plain(way)} }}`)),
        );
        expect(
          (await look(text)).map(({ message, at }) => `${at.line}:${at.column} ${message}`),
          text,
        ).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('finds one letter that is another, at its place', async () => {
    const look = desk();
    await fc.assert(
      fc.asyncProperty(cases, async ({ schema, way, place, style }) => {
        const keys = way.split('‹').length - 1;
        const marked = pipeline(schema, [written(style, `\${{ ${misspelled(way, place % keys)} }}`)]);
        const { text, at } = withoutMark(marked);
        const found = (await look(text)).map((problem) => `${problem.rule} ${problem.at.line}:${problem.at.column}`);
        expect(found, text).toContain(`type ${at}`);
      }),
      { numRuns: 120 },
    );
  });
});
