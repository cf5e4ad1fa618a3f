import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sourceOf } from '../../src/load/text.js';
import { parseYaml } from '../../src/load/yaml-text.js';
import { toJson } from '../../src/load/yaml-tree.js';
import { scalarText } from '../../src/load/yaml-write.js';

const read = (text: string) => {
  const { root, problems } = parseYaml(sourceOf('/f.yaml', text));
  return { json: root && toJson(root), problems };
};

it.each([
  ['three', 'three'],
  ['2m', '2m'],
  ['prompts/a-b.md', 'prompts/a-b.md'],
  ['two words', 'two words'],
  ['a, b', "'a, b'"],
  ['1.0', "'1.0'"],
  ['0x1f', "'0x1f'"],
  ['true', "'true'"],
  ['', "''"],
  ["it's", "'it''s'"],
  ['- a', "'- a'"],
  ['a\nb', '"a\\nb"'],
  [1.5, '1.5'],
  [true, 'true'],
])('%j is written %s', (value, text) => {
  expect(scalarText(value)).toBe(text);
});

it('reads as the same value, in a block and inside of brackets', () => {
  const pieces = fc.constantFrom(
    ...',:#[]{}&*!|>%@\'"`?-~ \n\t\\=01.e+xa_',
    '\u00e9',
    'null',
    'on',
    '\u0085',
    '\u2028',
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 6 }).map((all) => all.join('')),
    fc.string({ unit: 'binary' }).filter((text) => Buffer.from(text).toString() === text),
  );
  fc.assert(
    fc.property(fc.oneof(texts, fc.boolean(), fc.integer()), (value) => {
      const text = scalarText(value);
      expect(read(`a: ${text}\nb:\n- ${text}\n`)).toEqual({ json: { a: value, b: [value] }, problems: [] });
      expect(read(`a: { b: ${text}, c: [${text}, 1] }\n`)).toEqual({
        json: { a: { b: value, c: [value, 1] } },
        problems: [],
      });
    }),
  );
});
