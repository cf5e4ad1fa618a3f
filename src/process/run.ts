/** Runs a command with all its descendants in a group of their own; the only place that starts processes. */
import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { LONGEST_TIMER_MS } from '../core/clock.js';
import type { Command, Exit, Processes } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { type ByteFilter, firstBytes, type Log, MAX_OUTPUT_BYTES, openLog, plain } from './capture.js';
import { checkCommand, startFault } from './command.js';
import { endGroup, endTree, killTree, MARKER_VARIABLE, watchFamily } from './group.js';
import { inTurn } from './turn.js';

/** Python writes `__pycache__` beside the scripts that it imports: a skill would not be any more what a person agreed to. */
const QUIET = { PYTHONDONTWRITEBYTECODE: '1' };

/** How long a pipe is read on after the main process has ended. */
const PIPE_GRACE_MS = 250;

export interface RunProcesses extends Processes {
  /** Ends all that runs: TERM, then KILL; with `force` KILL at once. Their `run`s throw `run.cancelled`; no other starts. */
  endAll(force: boolean): Promise<void>;
}

/**
 * @param options.marker names the run in the environment of its processes; letters, digits and dashes
 * @param options.newFilter replaces secrets in log files and in `Exit.stderrTail`; called once for each stream
 */
export function createProcesses(options: {
  readonly marker: string;
  readonly newFilter?: () => ByteFilter;
}): RunProcesses {
  const { marker, newFilter = plain } = options;
  const running = new Map<Promise<Exit>, (force: boolean) => void>();
  let started = 0;
  let ended = false;

  return {
    run(command) {
      if (ended) return Promise.reject(cancelled());
      started++;
      const ending = new AbortController();
      let force: (() => void) | undefined;
      const job = { command, marker: `${marker}.${started}`, newFilter, ending: ending.signal };
      const exit = runOne(job, (kill) => {
        force = kill;
      }).finally(() => running.delete(exit));
      running.set(exit, (now) => {
        if (now) force?.();
        ending.abort(cancelled());
      });
      return exit;
    },
    async endAll(force) {
      ended = true;
      for (const end of running.values()) end(force);
      await Promise.allSettled(running.keys());
    },
  };
}

interface Job {
  readonly command: Command;
  /** Of this command alone. */
  readonly marker: string;
  readonly newFilter: () => ByteFilter;
  readonly ending: AbortSignal;
}

async function runOne(job: Job, onStart: (kill: () => void) => void): Promise<Exit> {
  const { command, marker, newFilter, ending } = job;
  checkCommand(command);
  if (command.signal.aborted) throw reasonOf(command.signal);
  const { child, failed } = await inTurn(() => {
    if (command.signal.aborted) throw reasonOf(command.signal);
    if (ending.aborted) throw reasonOf(ending);
    try {
      return start(command, marker);
    } catch (error) {
      throw startFault(command, error);
    }
  });
  const { pid } = child;
  if (pid === undefined) throw startFault(command, await failed);
  const family = watchFamily(pid);
  onStart(() => killTree(family, marker));

  const stdout = firstBytes(MAX_OUTPUT_BYTES);
  const stdoutLog = openLog(command.stdoutFile, newFilter());
  const stderrLog = openLog(command.stderrFile, newFilter());
  const stop = stopper([command.signal, ending], command.idleTimeoutMs);
  read(child.stdout, [stdout, stdoutLog, overflowOf(command, stdout.truncated, stop)], stop);
  read(child.stderr, [stderrLog], stop);
  if (command.stdin !== undefined) {
    // A program that does not read its input to the end breaks the pipe; that is its right.
    child.stdin?.on('error', () => {});
    child.stdin?.end(command.stdin);
  }

  let open = true;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
    open = false;
  });
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  try {
    const exit = await Promise.race([exited, stop.stopped]);
    const stopped = exit instanceof Fault;
    if (!stopped) await within(PIPE_GRACE_MS, closed);
    if (stopped || open) await endTree(family, marker);
    else await endGroup(pid);
    closeLogs([stdoutLog, stderrLog]);
    if (stopped) throw exit;
    return {
      code: exit.code ?? undefined,
      signal: exit.signal ?? undefined,
      stdout: stdout.bytes(),
      stderrTail: stderrLog.tail(),
      truncated: stdout.truncated(),
    };
  } finally {
    stop.close();
    family.close();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

/** `failed` comes to why a child has no pid. */
function start({ argv, cwd, env, stdin }: Command, marker: string) {
  const [program, ...args] = argv as [string, ...string[]];
  const child = spawn(program, args, {
    cwd,
    env: { ...QUIET, ...env, [MARKER_VARIABLE]: marker },
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // Listened to at once: nobody would hear it later, and it would end us.
  const failed = new Promise<Error>((resolve) => {
    child.on('error', resolve);
  });
  return { child, failed };
}

interface Stopper {
  /** The fault that ends the command before its time. */
  readonly stopped: Promise<Fault>;
  stop(fault: Fault): void;
  /** There was output: silence begins anew. */
  heard(): void;
  close(): void;
}

function stopper(signals: readonly AbortSignal[], idleTimeoutMs: number | undefined): Stopper {
  let stop: (fault: Fault) => void = () => {};
  const stopped = new Promise<Fault>((resolve) => {
    stop = resolve;
  });
  const abort = (event: Event) => stop(reasonOf(event.target as AbortSignal));
  for (const signal of signals) {
    // All commands of a run may share one signal; each takes its listener away again.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort);
    // Told while the command began.
    if (signal.aborted) stop(reasonOf(signal));
  }
  const silent = () =>
    stop(
      new Fault('step.silent', `The command printed nothing for ${(idleTimeoutMs ?? 0) / 1_000} s.`, {
        hint: 'Raise idle_timeout, or let it print its progress.',
      }),
    );
  const timer = idleTimeoutMs === undefined ? undefined : setTimeout(silent, Math.min(idleTimeoutMs, LONGEST_TIMER_MS));
  return {
    stopped,
    stop,
    heard: () => timer?.refresh(),
    close() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}

function read(stream: Readable | null, takers: readonly { push(bytes: Uint8Array): void }[], stop: Stopper): void {
  stream?.on('error', () => {});
  stream?.on('data', (bytes: Uint8Array) => {
    stop.heard();
    try {
      for (const taker of takers) taker.push(bytes);
    } catch (error) {
      stop.stop(logFault(error));
    }
  });
}

/** Asks once what becomes of a command that has printed more than is kept. */
function overflowOf({ overflow }: Command, isOver: () => boolean, stop: Stopper): { push(): void } {
  let isAsked = false;
  return {
    push() {
      if (isAsked || !isOver()) return;
      isAsked = true;
      const fault = overflow?.();
      if (fault) stop.stop(fault);
    },
  };
}

function closeLogs(logs: readonly Log[]): void {
  try {
    for (const log of logs) log.close();
  } catch (error) {
    throw logFault(error);
  }
}

function logFault(error: unknown): Fault {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return new Fault('run.journal', `A log file of the step cannot be written: ${error.code}.`, {
    hint: 'Check free space and permissions of the run folder.',
  });
}

function reasonOf(signal: AbortSignal): Fault {
  return signal.reason instanceof Fault ? signal.reason : cancelled({ cause: signal.reason });
}

function cancelled(options?: ErrorOptions): Fault {
  return new Fault('run.cancelled', 'The command was cancelled.', {}, options);
}

/** Waits for `done`, for at most so long. A loop that was blocked past that time first reads what has come in meanwhile. */
export async function within(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    // The first turn reads the end of a pipe, its close is told before the second.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve)), ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
