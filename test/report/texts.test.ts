import { expect, it } from 'vitest';
import { spokenName } from '../../src/report/texts.js';

it('a round is counted from one, as the terminal says it; an item is its index, as its path says it', () => {
  expect(spokenName({ kind: 'round', name: '0' })).toBe('round 1');
  expect(spokenName({ kind: 'item', name: '0' })).toBe('item 0');
  expect(spokenName({ kind: 'agent', name: 'audit' })).toBe('audit');
});
