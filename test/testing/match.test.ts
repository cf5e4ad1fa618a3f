import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { isMatcher, mismatches } from '../../src/testing/match.js';

describe('a value that is expected', () => {
  it('is matched by itself, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as Json;
        fc.pre(!JSON.stringify(plain).match(/"(matches|contains|length|any|min|max)":/));
        expect(mismatches(plain, plain)).toEqual([]);
      }),
    );
  });

  it('is matched by a mapping with more keys, and names what is missing or other', () => {
    expect(mismatches({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 })).toEqual([]);
    expect(mismatches({ a: { b: 1, c: 2 } }, { a: { b: 2 } })).toEqual([
      { place: ['a', 'b'], expected: 1, actual: 2 },
      { place: ['a', 'c'], expected: 2, actual: undefined },
    ]);
  });

  it('is a list item by item, of the same length', () => {
    expect(mismatches([{ a: 1 }, 2], [{ a: 1, b: 1 }, 2])).toEqual([]);
    expect(mismatches([1], [1, 2])).toEqual([{ place: [], expected: [1], actual: [1, 2] }]);
    expect(mismatches([1, 2], [1, 3])).toEqual([{ place: [1], expected: 2, actual: 3 }]);
  });

  it('of another type is another value', () => {
    for (const [one, other] of [
      ['1', 1],
      [null, false],
      [[], {}],
      [{}, []],
    ] as [Json, Json][]) {
      expect(mismatches(one, other)).toHaveLength(1);
    }
  });
});

describe('a matcher', () => {
  it.each<[Json, Json]>([
    [{ matches: '^a.c$' }, 'abc'],
    [{ contains: 'b' }, 'abc'],
    [{ contains: { id: 2 } }, [{ id: 1 }, { id: 2, more: true }]],
    [{ contains: ['a', 'b'] }, ['b', 'c', 'a']],
    [{ length: 2 }, ['x', 'y']],
    [{ length: 2 }, '你好'],
    [{ length: { min: 1 } }, { a: 1 }],
    [{ any: true }, ''],
    [{ min: 1, max: 3 }, 2],
  ])('%j takes %j', (matcher, value) => {
    expect(mismatches(matcher, value)).toEqual([]);
  });

  it.each<[Json, Json | undefined, string]>([
    [{ matches: '^b' }, 'abc', 'a match of /^b/'],
    [{ contains: 'x' }, 'abc', 'something with "x"'],
    [{ contains: ['a', 'x'] }, ['a'], 'something with ["a","x"]'],
    [{ length: 3 }, ['x'], 'a length of 3'],
    [{ length: { min: 2 } }, [], 'at least 2 as its length'],
    [{ any: true }, null, 'anything but nothing'],
    [{ any: true }, undefined, 'anything but nothing'],
    [{ max: 3 }, 4, 'at most 3'],
    [{ max: 3 }, '2', 'at most 3'],
  ])('%j refuses %j and says: %s', (matcher, value, expected) => {
    expect(mismatches(matcher, value)).toMatchObject([{ expected, actual: value }]);
  });

  it('is no matcher with another key beside it, or with a value that it does not take', () => {
    expect(isMatcher({ length: 2, width: 3 })).toBe(false);
    expect(isMatcher({ matches: 2 })).toBe(false);
    expect(isMatcher({})).toBe(false);
  });
});
