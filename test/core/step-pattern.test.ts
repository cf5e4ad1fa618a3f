import { describe, expect, it } from 'vitest';
import { closest, names, openNumbers } from '../../src/core/step-pattern.js';

describe('a step', () => {
  it.each([
    ['audit', 'audit', 0],
    ['audit', 'rounds/1/audit', 0],
    ['search', 'search/3', 1],
    ['rounds/audit', 'candidates/0/rounds/1/audit', 1],
    ['rounds/1/audit', 'candidates/0/rounds/1/audit', 0],
    ['rounds/*/audit', 'candidates/0/rounds/1/audit', 1],
    ['candidates/0/audit', 'candidates/0/rounds/1/audit', undefined],
    ['rounds/0/audit', 'rounds/1/audit', undefined],
    ['search/1', 'search', undefined],
    ['search/*', 'search', undefined],
    ['dit', 'audit', undefined],
  ])('named %s is %s: %j', (pattern, path, open) => {
    expect(openNumbers(pattern, path)).toBe(open);
    expect(names(pattern, path)).toBe(open !== undefined);
  });

  it('is meant by the pattern that leaves the least open', () => {
    const patterns = ['audit', 'rounds/*/audit', 'rounds/1/audit', 'search'].map((pattern) => ({ pattern }));
    expect(closest(patterns, 'rounds/1/audit')?.pattern).toBe('rounds/1/audit');
    expect(closest(patterns, 'search/7')?.pattern).toBe('search');
    expect(closest(patterns, 'other')).toBeUndefined();
  });
});
