import { describe, expect, it } from 'vitest';
import { unsafeRegex } from '../../src/core/pattern.js';

describe('patterns that are trusted', () => {
  it.each([
    '^[a-z0-9]+(-[a-z0-9]+)*$',
    '^[a-z][a-z0-9_]*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^https?://[^\\s/]+(/[^\\s]*)?$',
    '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$',
    '^10\\.\\d{4,9}/[-._;()/:A-Za-z0-9]+$',
    '^(\\d+)\\.(\\d+)\\.(\\d+)$',
    '^(a|b|c)+$',
    '^(foo|bar|baz)*$',
    '.*\\.md$',
    '.*foo.*bar',
    '^[0-9a-f]{64}$',
    '^.{1,200}$',
    '^(\\d{4}-?){4}$',
    '^(?:[A-Z]{2,3}\\d+)?$',
    '^(?<year>\\d+)$',
    '^\\p{L}+$',
    '^[^\\n]*$',
    '',
    '\\bword\\b',
    '^😀+$',
    '^[\\u{1F600}-\\u{1F64F}]$',
    '^\\s*(\\S.*)?$',
    '^([^,]*,)*[^,]*$',
  ])('%s', (pattern) => {
    expect(unsafeRegex(pattern)).toBeUndefined();
  });
});

describe('patterns that are refused', () => {
  it.each([
    ['^(a+)+$', 'a loop stands directly in a loop'],
    ['(x*)*', 'a loop stands directly in a loop'],
    ['(a*)+b', 'a loop stands directly in a loop'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'two ways'],
    ['^(a|a)*$', 'two ways'],
    ['^(a|ab|b)*$', 'two ways'],
    ['^(a?b?)*$', 'a loop stands directly in a loop'],
    ['^(.*,)*$', 'two ways'],
    ['^(\\w+\\s?)*$', ''],
    ['^(a{1,50}){1,50}$', 'a loop stands directly in a loop'],
    ['.*.*.*=', 'more than two loops'],
    ['(a)\\1', 'it looks back'],
    ['(?<x>a)\\k<x>', 'it looks back'],
    ['a(?=b)', 'it looks around'],
    ['(?<!a)b', 'it looks around'],
    ['(', ''],
    ['a{1000}b{1000}c{8}'.repeat(200), 'too long'],
  ])('%s', (pattern, reason) => {
    expect(unsafeRegex(pattern)).toContain(reason);
  });
});
