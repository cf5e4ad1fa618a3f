import { expect, it } from 'vitest';
import { idsOf } from '../../src/core/step-path.js';

it.each([
  ['plain', 'plain'],
  ['each/3', 'each'],
  ['rounds/2/search/7', 'rounds/search'],
  ['both/4/1/inner', 'both/inner'],
  ['a1/b2', 'a1/b2'],
])('%s is in the plan at %s', (path, ids) => {
  expect(idsOf(path)).toBe(ids);
});
