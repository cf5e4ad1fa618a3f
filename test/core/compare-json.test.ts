import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differences, listChange, members, type Place, pointer } from '../../src/core/compare-json.js';
import { canonicalJson, type Json } from '../../src/core/json.js';

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: true } as never) as fc.Arbitrary<Json>;

it('finds no difference in equal values, whatever the order of their keys, and at least one in others', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(differences(a, a)).toEqual([]);
      expect(differences(a, b).length === 0).toBe(canonicalJson(a) === canonicalJson(b));
    }),
  );
  expect(differences({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
});

it('names places at which the value as it is now has what it says', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      for (const { place, now } of differences(a, b)) if (now !== undefined) expect(at(b, place)).toEqual(now);
    }),
  );
});

function at(value: Json, place: Place): Json | undefined {
  let one: Json | undefined = value;
  for (const part of place) one = (one as Record<string | number, Json> | undefined)?.[part];
  return one;
}

it('finds items again that moved, so an item put in at the start is one difference', () => {
  const before = ['a', 'b', 'c'];
  expect(differences(before, ['new', 'a', 'b', 'c'])).toEqual([{ place: [0], now: 'new' }]);
  expect(differences(before, ['a', 'c'])).toEqual([{ place: [1], before: 'b' }]);
  expect(differences([{ t: 'a', n: 1 }, 2], [{ t: 'b', n: 1 }, 2])).toEqual([
    { place: [0, 't'], before: 'a', now: 'b' },
  ]);
  expect(listChange(before, ['new', 'a', 'x', 'c'])).toEqual({ changed: 1, added: 1, removed: 0, count: 4 });
});

it('compares long lists that have nothing in common by their index', () => {
  const list = (text: string) => Array.from({ length: 5_000 }, (_, index) => `${text}${index}`);
  expect(listChange(list('a'), list('b'))).toEqual({ changed: 5_000, added: 0, removed: 0, count: 5_000 });
});

it('tells null from nothing', () => {
  expect(differences({ a: null }, {})).toEqual([{ place: ['a'], before: null }]);
  expect(differences({}, { a: null })).toEqual([{ place: ['a'], now: null }]);
});

it('spells places as schemas and as expressions do', () => {
  expect(pointer(['properties', 'a/b', 0])).toBe('/properties/a~1b/0');
  expect(members(['hits', 3, 'odd name'])).toBe('.hits[3]["odd name"]');
});
