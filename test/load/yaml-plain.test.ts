import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sourceOf } from '../../src/load/text.js';
import { treeOf } from '../../src/load/yaml.js';
import { composeYaml } from '../../src/load/yaml-compose.js';
import { readPlainYaml } from '../../src/load/yaml-plain.js';
import type { YamlNode } from '../../src/load/yaml-tree.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** What the library makes of it; undefined if it holds a mistake. */
function byLibrary(text: string): YamlNode | undefined {
  const composed = composeYaml(text);
  if (composed.type === 'refused' || composed.mistakes.length > 0) return undefined;
  const how = { source: sourceOf('/f.yaml', text), base: 0, text, broken: new Set<number>() };
  const { root, problems } = treeOf(composed.first, { ...how, duplicateKeys: 'error' });
  return problems.length > 0 ? undefined : root;
}

/** Everything that is known of a tree. */
function shape(node: YamlNode | undefined): unknown {
  switch (node?.type) {
    case undefined:
    case 'broken':
      return node?.type;
    case 'list':
      return { start: node.start, end: node.end, at: node.at, items: node.items.map(shape) };
    case 'map':
      return {
        start: node.start,
        end: node.end,
        at: node.at,
        pairs: node.pairs.map(({ key, keySpan, value }) => [key, keySpan, shape(value)]),
      };
    case 'scalar': {
      const { value, style, start, end, at, locate, comment } = node;
      const length = typeof value === 'string' ? value.length : 0;
      const places = Array.from({ length: length + 1 }, (_, offset) => locate(offset));
      return { value, style, start, end, at, comment, places };
    }
  }
}

const texts = ['skills', 'test/fixtures', '.']
  .flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((file) =>
      path.join(ROOT, folder, file),
    ),
  )
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => readFileSync(file, 'utf8'));

it('makes the same tree as the library of whatever it reads', () => {
  let read = 0;
  for (const text of texts) {
    const plain = readPlainYaml(sourceOf('/f.yaml', text));
    if (!plain) continue;
    read++;
    expect(shape(plain)).toEqual(shape(byLibrary(text)));
  }
  expect(read).toBeGreaterThan(texts.length / 2);
});

const PIECES = [
  'a: ',
  'b:',
  '- ',
  '  ',
  '    ',
  '\n',
  '\n  ',
  '\n    ',
  '\n- ',
  '\n\n',
  ' # c',
  '|\n  ',
  '|-\n    ',
  '>\n  ',
  '>-\n   ',
  '{ ',
  ' }',
  '[',
  ']',
  ', ',
  'a: 1',
  '12',
  '1.50',
  '-0',
  '0x1f',
  '1e3',
  'true',
  'Null',
  '~',
  'x y',
  'a/b.c',
  '${{ x }}',
  '"q"',
  '"a\\n\\"b"',
  "'it''s'",
  "''",
  ':',
  '#',
  '&a',
  '*a',
  '!t',
  '-',
  '--json',
  '?',
  '%',
  '@',
  '(',
  ')',
  '\u00e9\ud83d\ude00',
];

it('makes the same tree as the library of any text that it reads', () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((all) => all.join(''));
  const begun = pieces.map((rest) => `k:\n  - id: a\n    v: ${rest}`);
  const edited = fc
    .tuple(
      fc.constantFrom(...texts.filter((text) => text.length < 3_000)),
      fc.nat(),
      fc.nat({ max: 4 }),
      fc.constantFrom(...PIECES),
    )
    .map(([text, at, length, piece]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + piece + text.slice(start + length);
    });
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(pieces, begun, edited), (text) => {
      const plain = readPlainYaml(sourceOf('/f.yaml', text));
      if (!plain) return;
      read++;
      expect(shape(plain)).toEqual(shape(byLibrary(text)));
    }),
    { numRuns: 3_000 },
  );
  expect(read).toBeGreaterThan(300);
});

const MANY = 200_000;

it.each([
  ['comments', `a: 1\n${'#\n'.repeat(MANY)}`],
  ['empty lines', `a: 1\n${'\n'.repeat(2 * MANY)}b: 2\n`],
  ['pairs', Array.from({ length: MANY / 4 }, (_, at) => `k${at}: 1\n`).join('')],
  ['items', `a: [ ${Array(MANY).fill('1').join(' , ')} ]\n`],
  ['levels', `a: ${'['.repeat(63)}1${']'.repeat(63)}\n`],
])('leaves as many %s as the library may refuse to it', (_, text) => {
  expect(readPlainYaml(sourceOf('/f.yaml', text))).toBeUndefined();
});

it.each([
  ['lists in each other', `a: ${'['.repeat(39)}1${']'.repeat(39)}\n`],
  [
    'mappings in each other',
    Array.from({ length: 40 }, (_, at) => `${' '.repeat(at)}k:`)
      .join('\n')
      .concat(' 1\n'),
  ],
  ['lines', 'a:\n'.concat(' - "b" # c\n'.repeat(24_000))],
  ['values', `a: [ ${Array(24_000).fill('1').join(' , ')} ]\n`],
  ['pairs', `a: [ ${Array(12_000).fill('{ b: 1 }').join(' , ')} ]\n`],
])('as many %s as it reads are not too many for the library', (_, text) => {
  expect(readPlainYaml(sourceOf('/f.yaml', text))).toBeDefined();
  expect(composeYaml(text)).toMatchObject({ type: 'documents', mistakes: [] });
});

it.each([
  ['a mistake', 'a: b: c\n'],
  ['a key that stands twice', 'a: 1\na: 2\n'],
  ['an alias', 'a: &x 1\nb: *x\n'],
  ['a value over two lines', 'a: one\n  two\n'],
  ['a comment behind a plain value', 'a: one # two\n'],
  ['a value that a comma cuts', 'a: { b: f(x, y) }\n'],
  ['nothing', '# only this\n'],
  ['a list', '- a\n'],
  ['a second document', 'a: 1\n---\nb: 2\n'],
  ['a tab', 'a:\t1\n'],
])('leaves %s to the library', (_, text) => {
  expect(readPlainYaml(sourceOf('/f.yaml', text))).toBeUndefined();
});
