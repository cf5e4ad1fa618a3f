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

describe('a word that means something', () => {
  it.each([
    ['es', ['de', 'en', 'fr']],
    ['night', ['light', 'dark']],
    ['bark', ['light', 'dark']],
    ['v1.3', ['v1.2']],
    ['darr', ['dark', 'dart']],
    ['maximal', ['minimal']],
  ])('is no slip if it may be meant: %s', (word, known) => {
    expect(certainly(word, known, 'value')).toBeUndefined();
  });

  it.each([
    ['advnace', 'advance'],
    ['advanc', 'advance'],
    ['Revise', 'revise'],
    ['rdop', 'drop'],
    ['rdopp', undefined],
    ['aadvancee', undefined],
  ])('is a slip by one letter, or by its case: %s', (word, meant) => {
    expect(certainly(word, ['advance', 'revise', 'drop'], 'value')).toBe(meant);
  });

  it('is a slip by two letters among the choices that this program gives', () => {
    expect(certainly('contnuee', ['continue', 'stop'], 'choice')).toBe('continue');
    expect(certainly('contnuee', ['continue', 'stop'], 'value')).toBeUndefined();
    expect(certainly('fial', ['fail', 'accept'], 'choice')).toBe('fail');
    expect(certainly('mail', ['fail', 'accept'], 'choice')).toBeUndefined();
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
