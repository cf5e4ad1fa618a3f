import { expect, it } from 'vitest';
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
