/** How long the turns of this process's event loop take: by the clock, and without what the system gives to other programs meanwhile. */
import { readFileSync } from 'node:fs';

const PAUSE_MS = 1;

/** Of a stretch of time in the thread of the loop. Where no scheduler counts for us, all three are the clock's. */
export interface Spent {
  readonly tookMs: number;
  /** Without the time in which the loop could have gone on and another program had its processor. */
  readonly ownMs: number;
  /** On a processor: without what it waited for, such as a disk or a program that is loaded. */
  readonly ranMs: number;
}

export interface Turns {
  readonly whole: Spent;
  /** 99 of 100 turns took no longer. */
  readonly p99: Spent;
}

/** @returns what ends the watch */
export function watchTurns(): () => Turns {
  const turns: Spent[] = [];
  const begun = now();
  let last = begun;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const seen = now();
    turns.push(between(last, seen));
    last = seen;
  };
  const lookAgain = () => {
    timer = setTimeout(() => {
      look();
      lookAgain();
    }, PAUSE_MS);
  };
  lookAgain();
  return () => {
    clearTimeout(timer);
    look();
    const p99 = (of: keyof Spent) => percentile(turns.map((turn) => turn[of]));
    return { whole: between(begun, last), p99: { tookMs: p99('tookMs'), ownMs: p99('ownMs'), ranMs: p99('ranMs') } };
  };
}

const between = (before: Spent, after: Spent): Spent => ({
  tookMs: after.tookMs - before.tookMs,
  ownMs: after.ownMs - before.ownMs,
  ranMs: after.ranMs - before.ranMs,
});

function now(): Spent {
  const tookMs = performance.now();
  try {
    // Since the thread began, in nanoseconds: on a processor, ready and waiting for one.
    const [ran, waited] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ').map(Number);
    return { tookMs, ownMs: tookMs - Number(waited) / 1e6, ranMs: Number(ran) / 1e6 };
  } catch {
    return { tookMs, ownMs: tookMs, ranMs: tookMs };
  }
}

function percentile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}
