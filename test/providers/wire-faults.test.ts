import { describe, expect, it } from 'vitest';
import { readRetryAfterMs, upstreamError } from '../../src/providers/wire-faults.js';

describe('Retry-After', () => {
  const now = 'Tue, 06 May 2025 10:00:00 GMT';
  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['fractions of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds in a header of their own', { 'retry-after-ms': '30', 'retry-after': '9' }, 30],
    ['a date, by the clock of the server', { date: now, 'retry-after': 'Tue, 06 May 2025 10:00:02 GMT' }, 2_000],
    ['a date that is over', { date: now, 'retry-after': 'Tue, 06 May 2025 09:00:00 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['a negative number', { 'retry-after': '-1' }, undefined],
    ['nothing', {}, undefined],
  ])('is read from %s', (_, headers, expected) => {
    expect(readRetryAfterMs(headers)).toBe(expected);
  });

  it('is measured by our clock when the server does not say its own', () => {
    const at = new Date(Date.now() + 60_000).toUTCString();
    expect(readRetryAfterMs({ 'retry-after': at })).toBeGreaterThan(50_000);
  });
});

describe('an error in a body', () => {
  it.each([
    ['a map', { error: { message: 'no', code: 503 } }, 'no'],
    ['a text', { error: 'no' }, 'no'],
    ['a list of maps', [{ error: { message: 'no' } }], 'no'],
    ['the body itself', { object: 'error', message: 'no' }, 'no'],
    ['without a message', { error: { reason: 'x' } }, '{"reason":"x"}'],
  ])('is found as %s', (_, body, message) => {
    expect(upstreamError(body)?.message).toBe(message);
  });

  it.each([[{ error: null }], [{ choices: [] }], [[]], ['text'], [null]])('is not seen in %j', (body) => {
    expect(upstreamError(body)).toBeUndefined();
  });
});
