/** A clock for which one time limit is over as soon as a process has come far enough. */
import { existsSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import type { Clock } from '../../src/core/context.js';

/**
 * @param limitMs no other time ever passes
 * @param marker a file that the process makes
 */
export function overWith(limitMs: number, marker: string): Clock {
  return {
    now: () => Date.now(),
    sleep(ms, signal) {
      if (ms === limitMs) return made(marker, signal);
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
}

async function made(marker: string, signal: AbortSignal | undefined): Promise<void> {
  while (!existsSync(marker)) {
    signal?.throwIfAborted();
    await later(5);
  }
}
