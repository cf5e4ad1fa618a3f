/** Ctrl-C, TERM and HUP: the first stops the run in good order, a second Ctrl-C at once. */
import { Fault } from '../core/faults.js';

const FAULT_OF = {
  SIGINT: ['run.cancelled', 'interrupted'],
  SIGTERM: ['run.terminated', 'terminated'],
  SIGHUP: ['run.hangup', 'the terminal was closed'],
} as const;

const EXIT_OF = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function stopOnSignals(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const handlers = Object.entries(FAULT_OF).map(([name, [code, message]]) => {
    const signal = name as keyof typeof FAULT_OF;
    const handler = () => {
      if (controller.signal.aborted) process.exit(EXIT_OF[signal]);
      controller.abort(new Fault(code, message));
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  return {
    signal: controller.signal,
    release() {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}
