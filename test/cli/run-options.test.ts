import { expect, it } from 'vitest';
import { givenLimits, refuseModel } from '../../src/cli/run-options.js';

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

it.each(['nonsense', 'openai/', 'opnai/x', '/x', 'script:/nowhere/turns.yaml'])('refuses --model %s', (flag) => {
  expect(() => refuseModel(flag, ['default', 'judge'])).toThrow();
});

it.each(['sketch', 'judge', 'openai/gpt-5-mini', 'ollama/a/b'])('takes --model %s', (flag) => {
  expect(() => refuseModel(flag, ['default', 'judge'])).not.toThrow();
});
