import { expect, it } from 'vitest';
import type { Step } from '../../src/core/types.js';
import { itemFamily, withoutRounds } from '../../src/engine/step-path.js';

const leaf = (id: string, loops: object = {}) => ({ id, ...loops, body: { type: 'leaf' } }) as unknown as Step;
const group = (id: string, steps: Step[], loops: object = {}) =>
  ({ id, ...loops, body: { type: 'group', steps } }) as unknown as Step;

const STEPS = [
  leaf('plain'),
  leaf('each', { foreach: {} }),
  group('rounds', [leaf('audit'), leaf('search', { foreach: {} })], { repeat: {} }),
  group('both', [leaf('inner')], { foreach: {}, repeat: {} }),
];

it.each([
  ['plain', 'plain', 'plain'],
  ['each/3', 'each/*', 'each/3'],
  ['rounds/2/audit', 'rounds/2/audit', 'rounds/audit'],
  ['rounds/2/search/7', 'rounds/2/search/*', 'rounds/search/7'],
  ['both/4/1/inner', 'both/*/1/inner', 'both/4/inner'],
])('tells items from rounds in %s', (path, family, owner) => {
  expect(itemFamily(STEPS, path)).toBe(family);
  expect(withoutRounds(STEPS, path)).toBe(owner);
});
