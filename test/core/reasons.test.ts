import { expect, it } from 'vitest';
import { blockedBy, blockerIn } from '../../src/core/reasons.js';

it('finds the step again that blocked another', () => {
  expect(blockerIn(blockedBy('a'))).toBe('a');
  expect(blockerIn('when steps.a.output is false')).toBeUndefined();
});
