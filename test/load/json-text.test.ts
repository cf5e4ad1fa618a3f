import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePlainJson } from '../../src/load/json-text.js';

describe('plain JSON', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(4), (text, indent) => {
        const value = JSON.parse(text) as unknown;
        expect(parsePlainJson(JSON.stringify(value, null, indent))).toEqual(value);
      }),
    );
  });

  it.each([
    ['a key that stands twice', '{"a":1,"a":2}'],
    ['a key that stands twice further in', '[{"b":{"a":1,"\\u0061":2}}]'],
    ['a comma too many', '{"a":1,}'],
    ['deep nesting', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['nothing', ''],
  ])('is no text with %s', (_, text) => {
    expect(parsePlainJson(text)).toBeUndefined();
  });

  it('takes brackets and colons in strings for what they are', () => {
    const value = { 'a":{': '[[[ "x": \\', b: ['"', '\\"'] };
    expect(parsePlainJson(JSON.stringify(value))).toEqual(value);
  });

  it('is read with long strings', () => {
    expect(parsePlainJson(JSON.stringify(['\\"'.repeat(400_000)]))).toHaveLength(1);
  });
});
