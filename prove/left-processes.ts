/** The processes that have to do with a folder: that run in it, were given it, or name it. Read from /proc. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

const POLL_MS = 20;

/** Those of a folder that nobody else works in. Throws where there is no /proc. */
export function processesOf(dir: string): LeftProcess[] {
  if (!existsSync('/proc/self/environ')) throw new Error('this row needs /proc');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((name) => {
    const pid = Number(name);
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    const isOurs =
      command.includes(dir) || read(`/proc/${pid}/environ`).includes(dir) || folderOf(pid).startsWith(`${dir}/`);
    return isOurs && isRunning(pid) ? [{ pid, command }] : [];
  });
}

/** Resolves to those that are there when the time is over; to none as soon as there are none. */
export async function leftAfter(dir: string, ms: number): Promise<readonly LeftProcess[]> {
  for (const begun = Date.now(); ; await sleep(POLL_MS)) {
    const left = processesOf(dir);
    if (left.length === 0 || Date.now() - begun >= ms) return left;
  }
}

/** So that a trial that broke leaves nothing to the next. */
export function killAllOf(dir: string): void {
  for (let left = processesOf(dir); left.length > 0; left = processesOf(dir)) {
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended in between.
      }
    }
  }
}

/** A zombie has ended: whoever has to has not waited for it yet. */
function isRunning(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** '' for one that has ended, or is another user's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
