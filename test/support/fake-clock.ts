/** A clock that stands still until a test moves it. */
import { setImmediate as soon } from 'node:timers/promises';
import type { Clock } from '../../src/core/context.js';

export interface FakeClock extends Clock {
  /** Moves the time, and wakes who waited for it, in order; what they begin is begun when it returns. */
  advance(ms: number): Promise<void>;
  sleepers(): number;
}

export function fakeClock(start = 1_000_000): FakeClock {
  let time = start;
  const waiting = new Set<{ readonly at: number; wake(): void }>();
  return {
    now: () => time,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { at: time + ms, wake: resolve };
        waiting.add(sleeper);
        signal?.addEventListener('abort', () => {
          if (waiting.delete(sleeper)) reject(signal.reason);
        });
      });
    },
    async advance(ms) {
      const until = time + ms;
      await soon();
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (!next) break;
        waiting.delete(next);
        time = Math.max(time, next.at);
        next.wake();
        await soon();
      }
      time = until;
    },
    sleepers: () => waiting.size,
  };
}
