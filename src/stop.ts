/** Ends the session that works on a run, from another process: asks it to, waits, and ends what a dead one has left. */
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from './core/faults.js';
import { type LiveHolder, type Lock, lockHolder, signalHolder, takeLock } from './engine/lock.js';
import { runDirAt } from './engine/run-dir.js';
import { readRunFile } from './engine/run-file.js';
import { endLeftovers } from './process/group.js';

export type Stopped =
  /** Nobody worked on it. `processes` are those that a dead session had left. */
  | { readonly type: 'idle'; readonly processes: number }
  | { readonly type: 'stopped'; readonly pid: number; readonly killed: boolean; readonly processes: number };

interface Request {
  readonly signal: NodeJS.Signals;
  readonly patienceMs: number;
}

/** Sent one after the other, while the session goes on. */
export type Requests = readonly Request[];

/** As Ctrl-C does it: what runs is ended, the state is written. */
export const IN_ORDER: Requests = [{ signal: 'SIGTERM', patienceMs: 10_000 }];

/** The second TERM is Ctrl-C twice. */
export const AT_ONCE: Requests = [
  { signal: 'SIGTERM', patienceMs: 300 },
  { signal: 'SIGTERM', patienceMs: 1_500 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
];

/** Throws `run.in_use` if the session goes on after all of the requests, or runs on another machine. */
export async function stopRun(dir: string, requests: Requests): Promise<Stopped> {
  const holder = lockHolder(dir);
  if (!holder) return { type: 'idle', processes: await endLeft(dir) };
  if (holder.elsewhere !== undefined) {
    throw new Fault('run.in_use', `The run is worked on by process ${holder.pid} on ${holder.elsewhere}.`, {
      hint: 'Stop it on that machine.',
    });
  }
  const killed = (await lastRequest(dir, holder, requests)) === 'SIGKILL';
  return { type: 'stopped', pid: holder.pid, killed, processes: await endLeft(dir) };
}

/** The last one that it got. */
async function lastRequest(dir: string, { pid, nonce }: LiveHolder, requests: Requests) {
  let last: NodeJS.Signals | undefined;
  for (const { signal, patienceMs } of requests) {
    if (!signalHolder(dir, nonce, signal)) return last;
    last = signal;
    // A process that was halted must go on to hear it.
    signalHolder(dir, nonce, 'SIGCONT');
    if (await hasLeft(dir, nonce, patienceMs)) return last;
  }
  const seconds = requests.reduce((sum, { patienceMs }) => sum + patienceMs, 0) / 1_000;
  throw new Fault('run.in_use', `Process ${pid} still works on the run, ${seconds} s after it was asked to end.`, {
    hint: 'Ask with --now, which kills it in the end.',
  });
}

async function hasLeft(dir: string, nonce: string, patienceMs: number): Promise<boolean> {
  const isHeld = () => lockHolder(dir)?.nonce === nonce;
  for (let waitedMs = 0, pauseMs = 10; isHeld(); waitedMs += pauseMs, pauseMs = Math.min(pauseMs * 2, 100)) {
    if (waitedMs >= patienceMs) return false;
    await wait(pauseMs);
  }
  return true;
}

/**
 * Ends the processes that a dead session of the run has left, as the next session would; none can begin meanwhile, whose own they could be.
 * @returns how many there were
 */
export async function endLeft(dir: string): Promise<number> {
  if (lockHolder(dir) || !existsSync(runDirAt(dir).lock)) return 0;
  const lock = lockUnlessInUse(dir);
  try {
    const run = lock && readRunFile(dir);
    return run ? await endLeftovers(run.run) : 0;
  } finally {
    lock?.release();
  }
}

/** A session that has begun meanwhile ends them itself. */
function lockUnlessInUse(dir: string): Lock | undefined {
  try {
    return takeLock(dir);
  } catch (error) {
    if (error instanceof Fault && error.data.code === 'run.in_use') return undefined;
    throw error;
  }
}
