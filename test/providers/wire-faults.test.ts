import { describe, expect, it } from 'vitest';
import {
  parseJson,
  readRetryAfterMs,
  statusFault,
  strayLineFault,
  upstreamError,
} from '../../src/providers/wire-faults.js';

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

describe('a refused request', () => {
  it.each([
    ['the message of an error', '{"error":{"message":"Incorrect API key","code":"x"}}', 'HTTP 401: Incorrect API key'],
    ['a bare message', '{"message":"Unauthorized"}', 'HTTP 401: Unauthorized'],
    ['a bare detail', '{"detail":"Not authenticated"}', 'HTTP 401: Not authenticated'],
    ['JSON without one', '{"a":1}', 'HTTP 401: {"a":1}'],
    ['text', ' denied\n', 'HTTP 401: denied'],
    ['nothing', '', 'HTTP 401: (no body)'],
  ])('is told in the words of the service: %s', (_, body, message) => {
    expect(statusFault(401, body, {}, []).message).toBe(message);
  });
});

describe('an exhausted account', () => {
  it.each([
    [402, ''],
    [429, 'insufficient_quota'],
    [429, 'exceeded_current_quota_error'],
    [429, 'usage_limit_reached'],
    [403, 'Arrearage'],
    [429, 'billing_not_active'],
  ])('is told from a busy minute, and from a refusal: %i %s', (status, word) => {
    expect(statusFault(status, '{}', {}, [word]).data.code).toBe('provider.exhausted');
  });

  it('is not seen in a rate limit, a refusal or a broken server', () => {
    expect(statusFault(429, '{}', {}, ['rate_limit_exceeded']).data.code).toBe('provider.overloaded');
    expect(statusFault(403, '{}', {}, ['permission_denied']).data.code).toBe('provider.refused');
    expect(statusFault(500, '{}', {}, ['insufficient_quota']).data.code).toBe('provider.overloaded');
  });
});

describe('a line that belongs to no event', () => {
  it('is an error with its words, if it is one', () => {
    expect(strayLineFault('{"error":{"message":"no credit","code":"insufficient_quota"}}').data).toMatchObject({
      code: 'provider.exhausted',
      message: expect.stringContaining('no credit'),
    });
  });

  it('is shown, if it is a page', () => {
    expect(strayLineFault('<!doctype html>').data).toMatchObject({
      code: 'provider.protocol',
      message: expect.stringContaining('<!doctype html>'),
    });
  });
});

it('JSON that is nested deeper than a stack is none', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"error":', '}'],
  ] as const) {
    expect(parseJson(`${open.repeat(100_000)}0${close.repeat(100_000)}`)).toBeUndefined();
    expect(parseJson(`${open.repeat(100)}0${close.repeat(100)}`)).toBeDefined();
  }
});
