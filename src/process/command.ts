/** What is refused of a command before anything is started; no message holds an argument or a value. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from '../core/context.js';
import { Fault } from '../core/faults.js';

/** Of one argument or environment value; Linux itself refuses 128 KB. */
const MAX_VALUE_BYTES = 100 * 1024;

/** Throws `config.invalid` for what no system could pass on. */
export function checkCommand(command: Command): void {
  if (!command.argv[0]) throw new Fault('config.invalid', 'The command is empty: it names no program.');
  for (const [i, argument] of command.argv.entries()) checkValue(i === 0 ? 'The program' : `Argument ${i}`, argument);
  for (const [name, value] of Object.entries(command.env)) {
    if (!/^[^=\0]+$/.test(name)) throw new Fault('config.invalid', 'An environment variable has no usable name.');
    checkValue(`The environment variable ${name}`, value);
  }
}

/** The fault that says why the system did not start it. */
export function startFault(command: Pick<Command, 'argv' | 'cwd'>, error: unknown): Fault {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const program = shown(command.argv[0] ?? '');
  if (!isFolder(command.cwd)) {
    return new Fault('step.path', `The folder ${command.cwd}, where ${program} should run, does not exist.`, {
      hint: 'Check cwd.',
    });
  }
  switch (code) {
    case 'ENOENT':
      return new Fault('shell.missing', `The program ${program} was not found.`, {
        hint: 'Install it, or put its folder into PATH.',
      });
    case 'EACCES':
    case 'ENOTDIR':
    case 'ELOOP':
      return new Fault('shell.missing', `The program ${program} cannot be run: ${code}.`, {
        hint: 'Check that it is a file and executable.',
      });
    case 'E2BIG':
      return tooBig('All arguments and environment variables together are');
    case 'EMFILE':
    case 'ENFILE':
      return new Fault('shell.exit', `The system could not start ${program}: too many files are open (${code}).`, {
        hint: 'Lower limits.max_parallel, or raise the limit of open files (ulimit -n).',
      });
    default:
      return new Fault('shell.exit', `The system could not start ${program}: ${code ?? 'unknown error'}.`);
  }
}

function checkValue(what: string, value: string): void {
  if (value.includes('\0')) {
    throw new Fault('config.invalid', `${what} holds a NUL character.`, { hint: 'Pass the value by stdin.' });
  }
  // Most values are far below; only then count bytes.
  if (value.length * 3 > MAX_VALUE_BYTES && Buffer.byteLength(value) > MAX_VALUE_BYTES) throw tooBig(`${what} is`);
}

function tooBig(what: string): Fault {
  return new Fault('config.invalid', `${what} larger than ${MAX_VALUE_BYTES / 1024} KB.`, {
    hint: 'Pass the value by stdin.',
  });
}

/** A program's name is shown, never a path's whole length. */
function shown(program: string): string {
  return JSON.stringify(program.length > 100 ? `…/${basename(program).slice(-80)}` : program);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
