/** The system's clock. Simulation brings its own. */
import type { Clock } from './context.js';

/** Longest delay that a Node timer can hold, about 24 days; a longer one would end at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What was told last, and how far that was ahead of a system's clock that has been set back since. */
let toldMs = 0;
let aheadMs = 0;

/** Never goes back: who subtracts two of its times gets no negative duration. */
function now(): number {
  const ms = Date.now() + aheadMs;
  if (ms < toldMs) aheadMs += toldMs - ms;
  toldMs = Math.max(ms, toldMs);
  return toldMs;
}

export const systemClock: Clock = {
  now,
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};
