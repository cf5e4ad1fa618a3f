/** A watch over a connection that may fall silent: headers on time promise nothing about what follows. */
import { LONGEST_TIMER_MS } from '../core/clock.js';
import { Fault } from '../core/faults.js';

export interface Watch {
  readonly signal: AbortSignal;
  /** A byte came: the clock starts again. */
  heard(): void;
  /** From now on there is this much time left, bytes or no bytes. */
  hurry(ms: number): void;
  abort(): void;
  stop(): void;
}

/** Aborts when the caller does, or when no byte has come for too long: a comment is a byte, a promise is not. */
export function watchSilence(outer: AbortSignal, idleTimeoutMs: number, host: string): Watch {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(outer.reason);
  const expire = (): void => {
    const message = `No bytes from ${host} for ${idleTimeoutMs / 1000} s.`;
    controller.abort(new Fault('provider.silent', message));
  };
  let timer = setTimeout(expire, Math.min(idleTimeoutMs, LONGEST_TIMER_MS));
  let hurried = false;
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    heard() {
      if (!hurried) timer.refresh();
    },
    hurry(ms) {
      if (hurried) return;
      hurried = true;
      clearTimeout(timer);
      timer = setTimeout(expire, ms);
    },
    abort: () => controller.abort(),
    stop() {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}
