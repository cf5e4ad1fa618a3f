/** The clock of a test: real time, but a wait before trying again is over at once. */
import { systemClock } from '../core/clock.js';
import type { Clock } from '../core/context.js';
import type { Sink } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';

/** The journal says how long each wait will be: the next thing that the step does is to wait so long, or it waits no more. */
export function quickWaits(): { readonly clock: Clock; readonly sink: Sink } {
  const announced = new Map<StepPath, number>();
  const begin = (ms: number): boolean => {
    const path = [...announced].find(([, waitMs]) => waitMs === ms)?.[0];
    return path !== undefined && announced.delete(path);
  };
  return {
    sink: {
      write(event) {
        if (event.type === 'run_ended') announced.clear();
        if (!('path' in event)) return;
        announced.delete(event.path);
        if (event.type === 'step_retry' || event.type === 'call_retry') announced.set(event.path, event.waitMs);
      },
    },
    clock: {
      now: () => systemClock.now(),
      async sleep(ms, signal) {
        if (!begin(ms)) return systemClock.sleep(ms, signal);
        signal?.throwIfAborted();
      },
    },
  };
}
