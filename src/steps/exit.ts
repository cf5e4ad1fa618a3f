/** What became of a process: its failure as a fault, its standard output as text. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Exit, StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';

export function refuseFailure(exit: Exit, context: StepContext): void {
  if (exit.code === 0) return;
  const how = exit.code === undefined ? `was ended by ${exit.signal}` : `exited with ${exit.code}`;
  const last = exit.stderrTail.trim().split('\n').at(-1) ?? '';
  const logs = ['stderr.log', 'stdout.log'].map((name) => join(context.folders.step, name));
  const log = logs.find((file) => fs.existsSync(file));
  throw new Fault('shell.exit', `the command ${how}${last === '' ? '' : `: ${last.slice(0, 300)}`}`, {
    exit: exit.code ?? exit.signal ?? 'unknown',
    stderr: exit.stderrTail,
    ...(log ? { hint: `Its output is in ${log}` } : {}),
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
