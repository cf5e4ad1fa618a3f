/** Shares the event loop with starts of processes: each holds it until the system has loaded the program, so only some follow each other. */
import { setImmediate } from 'node:timers/promises';

/** Of starts in one turn of the loop. A start takes 1 ms in a small process, 20 ms and more in one of 700 MB. */
const MOST_MS = 8;

/** All runs of this process share one loop. */
let spentMs = 0;
let turnEnds: Promise<void> | undefined;

/**
 * Resolves to what `start` gave, in this turn of the loop or one that soon comes, first come, first served. It bounds no more than that: a
 * server that goes on for ever keeps no client waiting.
 */
export async function inTurn<T>(start: () => T): Promise<T> {
  while (spentMs >= MOST_MS) await turnEnds;
  turnEnds ??= setImmediate().then(() => {
    spentMs = 0;
    turnEnds = undefined;
  });
  const began = performance.now();
  try {
    return start();
  } finally {
    spentMs += performance.now() - began;
  }
}
