import { expect, it } from 'vitest';
import { ownerOf } from '../../src/engine/step-path.js';

it.each([
  ['plain', 'plain', 'plain'],
  ['each/3', 'each/*', 'each/3'],
  ['rounds/2/audit', 'rounds/2/audit', 'rounds/audit'],
  ['rounds/2/search/7', 'rounds/2/search/*', 'rounds/search/7'],
  ['both/4/1/inner', 'both/*/1/inner', 'both/4/inner'],
  ['a1/b2', 'a1/b2', 'a1/b2'],
])('a later round of %s has the same owner', (path, family, owner) => {
  expect(ownerOf({ path, family })).toBe(owner);
});
