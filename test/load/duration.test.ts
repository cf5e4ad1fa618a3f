import fc from 'fast-check';
import { expect, it } from 'vitest';
import { durationMeant, parseAge, parseDuration } from '../../src/load/duration.js';

it.each([
  ['10m', 600_000],
  ['2s', 2_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1.5s', 1_500],
  ['1h2m3s4ms', 3_723_004],
])('%s is %i milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['', '10', 'm', '10 m', '1m1h', '-1s', '1e3s', '10min', '1.5ms'])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it('reads what it was written from', () => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
      expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe(((hours * 60 + minutes) * 60 + seconds) * 1_000);
    }),
  );
});

it.each([
  ['10min', '10m'],
  ['2 minutes', '2m'],
  ['1h 30 mins', '1h30m'],
  ['90 SEC', '90s'],
  ['1.5 hours', '1.5h'],
  ['250 millis', '250ms'],
  ['10', undefined],
  ['1.5ms', undefined],
  ['1.5 millis', undefined],
  ['0.0001 sec', undefined],
  ['1 day', undefined],
  ['30m 1h', undefined],
  ['1h 2h', undefined],
  ['about 10m', undefined],
  ['10m or so', undefined],
])('written as the duration %j is %j', (written, meant) => {
  expect(durationMeant(written)).toBe(meant);
});

it.each([
  ['30d', 30 * 86_400_000],
  ['1d12h', 129_600_000],
  ['0d', 0],
  ['6h', 21_600_000],
  ['1d2', undefined],
  ['d', undefined],
  ['30 days', undefined],
])('the age %j is %s ms', (text, ms) => {
  expect(parseAge(text)).toBe(ms);
});
