import { describe, expect, it } from 'vitest';
import { generateMatch, matchesPattern, pickMatches } from '../../src/providers/sketch-pattern.js';

describe('picking', () => {
  it('takes whole tokens for an anchored pattern, distinct and in order', () => {
    expect(pickMatches('^P[0-9]+$', 'P2, P10 (see P2) XP3 P4x [P1]')).toEqual(['P2', 'P10', 'P1']);
  });

  it('takes matches anywhere for a pattern without anchors', () => {
    expect(pickMatches('10\\.\\d{4}/\\w+', 'doi:10.1234/ab and 10.5678/cd')).toEqual(['10.1234/ab', '10.5678/cd']);
  });

  it('takes nothing for a pattern that is not one', () => {
    expect(pickMatches('(', 'x')).toEqual([]);
  });
});

describe('making', () => {
  it.each([
    '^P[0-9]+$',
    '^[a-z][a-z0-9-]{2,40}$',
    '^(?:advance|revise)$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[^\\s]+@[^\\s]+\\.[a-z]{2,}$',
    '^a?b*c+d{3}(ef){2,}$',
    '^\\p{Lu}\\p{Ll}+$',
    'v\\d+\\.\\d+',
    '^(a|b)(?<name>c)$',
    '^$',
    '^x|y$',
  ])('makes a string for %s', (pattern) => {
    const made = generateMatch(pattern);
    expect(made !== undefined && matchesPattern(pattern, made)).toBe(true);
  });

  it('makes different strings for different choices, where there are any', () => {
    expect(new Set([0, 1, 2].map((choice) => generateMatch('^P[0-9]$', choice))).size).toBe(3);
  });

  it.each(['^(?=a)b$', '(a)\\1b(?!c)', '('])('says that it cannot for %s', (pattern) => {
    expect(generateMatch(pattern)).toBeUndefined();
  });
});
