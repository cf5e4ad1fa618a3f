/** Ends all calls to a service that has said it gives no more for now. */
import type { Clock } from '../core/context.js';
import { Fault, type FaultData } from '../core/faults.js';

/** One for a service in a run. */
export interface Breaker {
  /** Throws what ended the calls, if anything has. */
  check(): void;
  /** What a call failed with, as the run has to take it: the same for all, once the service gives no more. */
  judge(error: unknown): unknown;
  /** Told once of what ends the calls; what is returned takes that back. */
  whenBroken(tell: (fault: Fault) => void): () => void;
}

/** A service that asks for a longer wait has nothing more to give for now: the run ends, and can be resumed. */
const LONGEST_WAIT_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * 60_000;

export function createBreaker(clock: Pick<Clock, 'now'>): Breaker {
  /** Not whether the call that it ended had been answered: those that it keeps from being sent were not. */
  let broken: Omit<FaultData, 'answered'> | undefined;
  const waiting = new Set<(fault: Fault) => void>();

  return {
    check() {
      if (broken) throw Fault.from(broken);
    },
    judge(error) {
      if (!(error instanceof Fault)) return error;
      const isLong = (error.data.retryAfterMs ?? 0) > LONGEST_WAIT_MS;
      if (!isLong && error.data.code !== 'provider.exhausted') return error;
      const { answered, ...data } = error.data;
      broken ??= isLong ? comeBack(data, clock.now()).data : data;
      for (const tell of [...waiting]) tell(Fault.from(broken));
      waiting.clear();
      return Fault.from(answered ? { ...broken, answered } : broken);
    },
    whenBroken(tell) {
      waiting.add(tell);
      return () => void waiting.delete(tell);
    },
  };
}

function comeBack({ message, retryAfterMs = 0 }: FaultData, now: number): Fault {
  const at = `${new Date(now + Math.min(retryAfterMs, YEAR_MS)).toISOString().slice(0, 19)}Z`;
  return new Fault('provider.exhausted', `the service asks to come back at ${at}: ${message}`, {
    hint: `Resume the run after ${at}; what was finished is kept.`,
    retryAfterMs,
  });
}
