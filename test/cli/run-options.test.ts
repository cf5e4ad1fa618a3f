import { expect, it } from 'vitest';
import { givenLimits } from '../../src/cli/run-options.js';

it.each(['time=0s', 'tokens=0', 'tokens=1=2', 'time=1s=2s', 'usd=-1', 'usd=', 'tokens', '=1'])(
  'refuses --limit %s',
  (pair) => {
    expect(() => givenLimits([pair], undefined)).toThrow(`--limit ${pair} is not understood`);
  },
);

it('takes a limit of tokens, of money or of time', () => {
  const given = givenLimits(['tokens=5', 'usd=2.50', 'time=2m'], 3);
  expect(given).toEqual({ tokens: 5, usd: 2.5, timeMs: 120_000, maxParallel: 3 });
});
