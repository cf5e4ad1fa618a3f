/** The system's processes, read from /proc; an empty list where there is no /proc. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot: with the pid it names one process for ever. */
  readonly started: string;
}

/** Every process that is not a zombie. */
export function listProcesses(): ProcessEntry[] {
  return pids().flatMap((pid) => readEntry(pid) ?? []);
}

export function isRunning(entry: ProcessEntry): boolean {
  return readEntry(entry.pid)?.started === entry.started;
}

/** The children of `pid`, their children and so on, and what is in their session. */
export function descendants(pid: number, all: readonly ProcessEntry[]): ProcessEntry[] {
  const found = new Set<ProcessEntry>(all.filter((entry) => entry.session === pid && entry.pid !== pid));
  const open = [pid, ...[...found].map((entry) => entry.pid)];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const entry of all) {
      if (entry.parent !== parent || entry.pid === pid || found.has(entry)) continue;
      found.add(entry);
      open.push(entry.pid);
    }
  }
  return [...found];
}

/** As `descendants`, cheaply: asks only the processes themselves, and sees no session. Empty where the system does not say. */
export function childrenBelow(pid: number): ProcessEntry[] {
  const found: ProcessEntry[] = [];
  const open = [pid];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const child of childrenOf(parent)) {
      const entry = readEntry(child);
      if (!entry || found.some((one) => one.pid === child)) continue;
      found.push(entry);
      open.push(child);
    }
  }
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Processes whose environment holds an entry that `matches`. */
export function withVariable(name: string, matches: (value: string) => boolean): ProcessEntry[] {
  const prefix = `${name}=`;
  return listProcesses().filter((entry) =>
    environment(entry.pid).some((text) => text.startsWith(prefix) && matches(text.slice(prefix.length))),
  );
}

function environment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function readEntry(pid: number): ProcessEntry | undefined {
  try {
    // After the name in parentheses, which may hold anything: field 3 and on of proc(5).
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return {
      pid,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      started: fields[19] ?? '',
    };
  } catch {
    return undefined;
  }
}
