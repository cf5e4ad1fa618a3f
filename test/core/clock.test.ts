import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.js';

it('rejects a wait with the reason of the signal, before it or during it', async () => {
  const reason = new Error('stopped');
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const stop = new AbortController();
  const waits = systemClock.sleep(60_000, stop.signal);
  stop.abort(reason);
  await expect(waits).rejects.toBe(reason);
});

it('waits for what is longer than a timer can hold, and does not return at once', async () => {
  const stop = new AbortController();
  const waits = systemClock.sleep(2 ** 40, stop.signal).then(() => 'over');
  await systemClock.sleep(5);
  stop.abort('still waiting');
  await expect(waits).rejects.toBe('still waiting');
});

it('goes on from where it was when the clock of the system is set back, and follows it forwards', () => {
  const wall = vi.spyOn(Date, 'now');
  onTestFinished(() => wall.mockRestore());
  const told = (ms: number) => {
    wall.mockReturnValue(ms);
    return systemClock.now();
  };
  const start = systemClock.now() + 1_000;
  const times = [0, 50, -3_600_000, -3_599_990, -3_599_000, -7_200_000, -7_199_999].map(
    (ms) => told(start + ms) - start,
  );
  expect(times).toEqual([0, 50, 50, 60, 1_050, 1_050, 1_051]);
  expect(told(start + 10_000) - start).toBeGreaterThanOrEqual(10_000);
});
