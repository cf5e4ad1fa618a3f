/** The process of a step: started with its logs, its failure a fault, its standard output as text. */
import fs from 'node:fs';
import type { Command, Exit, StepContext } from '../core/context.js';
import { beginningOf } from '../core/excerpt.js';
import { Fault } from '../core/faults.js';
import { lastErrorIn } from './last-error.js';

/** Throws `shell.exit` unless it exits with 0, or with one of `handshakes`. */
export async function runStepProcess(
  {
    stdin,
    handshakes = [],
    isTaken = () => false,
    ...command
  }: Pick<Command, 'argv' | 'env' | 'cwd'> & {
    readonly stdin: string | undefined;
    readonly handshakes?: readonly number[];
    /** Whether its standard output is what it gives: past the bound it is ended, where a mere log goes on. */
    readonly isTaken?: () => boolean;
  },
  context: StepContext,
): Promise<Exit> {
  const { path, step, folders, signal } = context;
  const exit = await context.processes.run({
    ...command,
    step: path,
    work: folders.work,
    ...(stdin === undefined ? {} : { stdin }),
    stdoutFile: folders.stdout,
    stderrFile: folders.stderr,
    signal,
    overflow: () => (isTaken() ? tooLong('standard output') : undefined),
    ...(step.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: step.idleTimeoutMs }),
  });
  if (exit.code === undefined || !handshakes.includes(exit.code)) refuseFailure(exit, context);
  return exit;
}

function refuseFailure(exit: Exit, { folders }: StepContext): void {
  if (exit.code === 0) return;
  const how = exit.code === undefined ? `was ended by ${exit.signal}` : `exited with ${exit.code}`;
  const last = lastErrorIn(exit.stderrTail);
  const log = [folders.stderr, folders.stdout].find((file) => fs.existsSync(file));
  throw new Fault('shell.exit', `the command ${how}${last === '' ? '' : `: ${beginningOf(last, 300)}`}`, {
    exit: exit.code ?? exit.signal ?? 'unknown',
    stderr: exit.stderrTail,
    ...(log ? { hint: `Its output is in ${log}` } : {}),
  });
}

export function stdoutOf({ stdout, truncated }: Exit): string {
  if (truncated) throw tooLong('standard output');
  return decode(stdout);
}

export function tooLong(where: string): Fault {
  return new Fault('shell.output', `the command wrote more than 64 MB to ${where}`, {
    hint: 'Let it write large results to files in the work folder, and only a summary to its output.',
  });
}

export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Fault('shell.output', 'the output is not UTF-8 text', {
      hint: 'Leave binary results as files in the work folder; they are published from there.',
    });
  }
}

/** As shells take the output of a command. */
export function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}
