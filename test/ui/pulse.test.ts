import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPulse } from '../../src/ui/pulse.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a pulse', () => {
  it('tells what is seen at first, and as often as it has changed', () => {
    const pulse = createPulse();
    let seen = 'a';
    const told: string[] = [];
    const end = pulse.watch(
      () => seen,
      (text) => told.push(text),
    );
    vi.advanceTimersByTime(2_000);
    expect(told).toEqual(['a']);
    seen = 'b';
    vi.advanceTimersByTime(2_000);
    expect(told).toEqual(['a', 'b']);
    end?.();
    seen = 'c';
    vi.advanceTimersByTime(2_000);
    expect(told).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on for the others when one cannot be looked at, and tells of that one once it can', () => {
    const pulse = createPulse();
    let isGone = true;
    const told: string[] = [];
    const look = () => {
      if (isGone) throw new Error('gone');
      return 'back';
    };
    pulse.watch(look, (text) => told.push(text));
    pulse.watch(
      () => 'other',
      (text) => told.push(text),
    );
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['other']);
    isGone = false;
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['other', 'back']);
    pulse.close();
  });

  it('takes no more than 64 watches, and one more for each that has ended', () => {
    const pulse = createPulse();
    const watch = () =>
      pulse.watch(
        () => '',
        () => undefined,
      );
    const ends = Array.from({ length: 64 }, watch);
    expect(watch()).toBeUndefined();
    ends[0]?.();
    expect(watch()).toBeDefined();
    pulse.close();
  });
});
