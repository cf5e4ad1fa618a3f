import { expect, it } from 'vitest';
import { counted } from '../../src/core/words.js';

it('gives a noun its plural unless there is one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'step'))).toEqual(['0 steps', '1 step', '2 steps']);
});
