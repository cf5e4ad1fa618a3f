/** Ctrl-C, TERM and HUP: the first stops the run in good order, a second one at once. */
import { Fault } from '../core/faults.js';

/** What each means, and how a process that it ended exits. */
export const SIGNALS = {
  SIGINT: { code: 'run.cancelled', message: 'interrupted', exit: 130 },
  SIGTERM: { code: 'run.terminated', message: 'terminated', exit: 143 },
  SIGQUIT: { code: 'run.terminated', message: 'terminated', exit: 143 },
  SIGHUP: { code: 'run.hangup', message: 'the terminal was closed', exit: 129 },
} as const;

/** How long a forced end may take until the processes are gone. */
const FORCED_END_MS = 300;

export interface Stops {
  /** Aborts with the first signal, for a stop in good order. */
  readonly signal: AbortSignal;
  /** Aborts with the second, just before this process ends. */
  readonly kill: AbortSignal;
  release(): void;
}

export function stopOnSignals(): Stops {
  const stop = new AbortController();
  const kill = new AbortController();
  const handlers = Object.entries(SIGNALS).map(([name, { code, message, exit }]) => {
    const handler = () => {
      if (!stop.signal.aborted) return stop.abort(new Fault(code, message));
      kill.abort();
      setTimeout(() => process.exit(exit), FORCED_END_MS);
    };
    process.on(name, handler);
    return { name, handler, exit };
  });
  return {
    signal: stop.signal,
    kill: kill.signal,
    release() {
      for (const { name, handler, exit } of handlers) {
        process.off(name, handler);
        // One more, in the moment that is left, has its own exit code too: it ends nothing but the rest of what is printed.
        if (stop.signal.aborted) process.on(name, () => process.exit(exit));
      }
    },
  };
}
