/** Waits for what comes to a run that another process works on, until nobody does any more. */
import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../core/faults.js';
import { lockHolder } from '../engine/lock.js';

/** Between two looks; a change of the folder is seen sooner. */
const LOOK_MS = 250;
/** Many changes in a row are one. */
const REST_MS = 25;

/**
 * Calls `look` once, and then again and again while a process holds the run; a last time when none does any more. A run that is resumed
 * meanwhile is followed on.
 * @param dir the absolute run folder
 * @returns whether it was stopped by the signal
 */
export async function whileHeld(dir: string, look: () => void, signal: AbortSignal): Promise<boolean> {
  const changes = watchFolder(dir);
  try {
    for (;;) {
      // Asked before the look: what was written until then is seen by it.
      const isHeld = lockHolder(dir) !== undefined;
      look();
      if (!isHeld) return false;
      await Promise.race([wait(LOOK_MS, undefined, { signal }), changes.next()]);
      await wait(REST_MS, undefined, { signal });
      refuseGone(dir);
    }
  } catch (error) {
    if (signal.aborted) return true;
    throw error;
  } finally {
    changes.close();
  }
}

function refuseGone(dir: string): void {
  if (fs.existsSync(dir)) return;
  throw new Fault('input.unknown', `The run folder ${dir} is gone.`, {
    hint: 'pipeline runs lists the runs there are.',
  });
}

/** Where folders cannot be watched, only time tells. */
function watchFolder(dir: string): { next(): Promise<void>; close(): void } {
  let onChange: () => void = () => undefined;
  try {
    const watcher = fs.watch(dir, () => onChange());
    watcher.on('error', () => watcher.close());
    return {
      next: () =>
        new Promise((resolve) => {
          onChange = resolve;
        }),
      close: () => watcher.close(),
    };
  } catch {
    return { next: () => new Promise(() => undefined), close: () => undefined };
  }
}
