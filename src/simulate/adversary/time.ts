/** The simulated clock: what is due next happens when nothing else goes on, so nothing waits, and the order follows from the times. */
import type { Clock } from '../../core/context.js';

export interface Time {
  readonly clock: Clock;
  /** Resolves when so much time has passed; rejects with the signal's reason. */
  after(ms: number, signal?: AbortSignal): Promise<void>;
  /** Until the work settles, the process is dead, or it hangs: nothing is due, and nothing goes on. */
  drive(work: Promise<unknown>): Promise<'settled' | 'dead' | 'hung'>;
  /** Nothing that is due happens any more. */
  stop(): void;
  readonly passed: () => number;
}

interface Due {
  readonly at: number;
  readonly order: number;
  readonly go: () => void;
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Turns of the event loop without a sign of life that count as rest. */
const QUIET_TURNS = 3;
/** Real waits for what is not simulated, such as a module that is loaded. */
const REAL_WAITS = 40;
const REAL_WAIT_MS = 5;

/**
 * @param startMs since the epoch
 * @param life counts whatever goes on
 * @param isDead whether the process has been killed; asked before something due happens, which may be what kills it
 */
export function createTime(
  startMs: number,
  life: () => number,
  isDead: (next: 'something due' | undefined) => boolean,
): Time {
  let now = startMs;
  let order = 0;
  let asked = 0;
  let due: Due[] = [];
  let isStopped = false;

  const after = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      asked++;
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        due = due.filter((one) => one !== mine);
        reject(signal?.reason);
      };
      const mine: Due = {
        at: now + Math.max(0, ms),
        order: order++,
        go() {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (!isStopped) due.push(mine);
    });

  /** Until nothing goes on. */
  const settle = async () => {
    let quiet = 0;
    let before = life() + asked;
    while (quiet < QUIET_TURNS) {
      await nextTurn();
      const after = life() + asked;
      quiet = after === before ? quiet + 1 : 0;
      before = after;
    }
  };

  return {
    clock: {
      now: () => now,
      sleep: after,
    },
    after,
    passed: () => now - startMs,
    stop() {
      isStopped = true;
      due = [];
    },
    async drive(work) {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      work.then(over, over);
      for (let waits = 0; ; ) {
        await settle();
        if (isDead(undefined)) return 'dead';
        if (isOver) return 'settled';
        let next: Due | undefined;
        for (const one of due)
          if (!next || one.at < next.at || (one.at === next.at && one.order < next.order)) next = one;
        if (!next) {
          if (isStopped || waits++ >= REAL_WAITS) return 'hung';
          await new Promise((resolve) => setTimeout(resolve, REAL_WAIT_MS));
          continue;
        }
        waits = 0;
        due.splice(due.indexOf(next), 1);
        if (isDead('something due')) return 'dead';
        now = Math.max(now, next.at);
        next.go();
      }
    },
  };
}
