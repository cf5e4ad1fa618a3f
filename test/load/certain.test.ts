import { describe, expect, it } from 'vitest';
import { booleanMeant, certainly, durationMeant, numberMeant } from '../../src/load/certain.js';

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
    ['10min', '10m'],
    ['2 minutes', '2m'],
    ['1h 30 mins', '1h30m'],
    ['90 SEC', '90s'],
    ['1.5 hours', '1.5h'],
    ['250 millis', '250ms'],
    ['10', undefined],
    ['1 day', undefined],
    ['30m 1h', undefined],
    ['1h 2h', undefined],
    ['about 10m', undefined],
    ['10m or so', undefined],
  ])('written as the duration %j is %j', (written, meant) => {
    expect(durationMeant(written)).toBe(meant);
  });

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
