import { describe, expect, it } from 'vitest';
import { booleanMeant, certainly, numberMeant } from '../../src/load/certain.js';

describe('a name', () => {
  it('is certain when one is nearest, whatever the order of the known ones', () => {
    expect(certainly('outlnie', ['outline', 'draft'])).toBe('outline');
    expect(certainly('outlnie', ['draft', 'outline'])).toBe('outline');
    expect(certainly('part_x', ['part_a', 'part_b'])).toBeUndefined();
    expect(certainly('part_x', ['part_a', 'part_a'])).toBe('part_a');
    expect(certainly('else', ['outline'])).toBeUndefined();
  });
});

describe('a value', () => {
  it.each([
    ['3', 3],
    ['250_000', 250_000],
    ['1,000,000', 1_000_000],
    ['-1.5', -1.5],
    ['1_0', undefined],
    ['1,5', undefined],
    ['3k', undefined],
    ['', undefined],
  ])('written as the number %j is %j', (written, meant) => {
    expect(numberMeant(written)).toBe(meant);
  });

  it.each([
    ['yes', true],
    ['Off', false],
    ['"true"', undefined],
    ['maybe', undefined],
    ['constructor', undefined],
  ])('written as the switch %j is %j', (written, meant) => {
    expect(booleanMeant(written)).toBe(meant);
  });
});
