/** What tells a process from a later one with its number: its start, the start of its machine, the space of its number. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { platform } from 'node:os';
import { pid } from 'node:process';

/** When the process started, in the system's own terms; undefined if it is not there (any more). */
export function startOf(pid: number): string | undefined {
  if (platform() !== 'linux') return printed('ps', ['-o', 'lstart=', '-p', String(pid)]);
  try {
    // After the name in parentheses, which may hold anything: state is field 3, start time field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

let start = '';

/** Of this process; '' if it cannot be told. What could not be read, here and below, is looked for again. */
export function ownStart(): string {
  start ||= startOf(pid) ?? '';
  return start;
}

let boot = '';

/** The same until the machine starts anew; '' if it cannot be told. */
export function bootId(): string {
  boot ||= readBootId();
  return boot;
}

function readBootId(): string {
  if (platform() !== 'linux') return printed('sysctl', ['-n', 'kern.bootsessionuuid']) ?? '';
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

let space = '';

/** The space that processes are numbered in: another container has another. '' if it cannot be told. */
export function pidSpace(): string {
  space ||= readPidSpace();
  return space;
}

function readPidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function printed(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined;
  } catch {
    return undefined;
  }
}
