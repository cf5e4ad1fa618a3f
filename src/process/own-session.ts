/** Starts a program in a session of its own: it goes on when whoever started it has ended. */
import { spawn } from 'node:child_process';
import { startFault } from './command.js';

export interface OwnSession {
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** @param stdout descriptor of an open file, as `stderr`: a pipe would break with its reader. Rejects with a fault that says why it did not start. */
export async function startOwnSession(command: {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: number;
  readonly stderr: number;
}): Promise<OwnSession> {
  const { argv, cwd, env, stdout, stderr } = command;
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd, env: { ...env }, detached: true, stdio: ['ignore', stdout, stderr] });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  const { pid } = child;
  if (pid === undefined) throw startFault(command, await failed);
  child.unref();
  return { pid, ended };
}
