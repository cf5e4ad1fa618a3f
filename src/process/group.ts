/** Ends a process group: asks, waits, kills; if need be, also what has left the group. */
import { existsSync } from 'node:fs';
import { pid as ownPid, kill as sendSignal } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import {
  childrenBelow,
  descendants,
  isRunning,
  listProcesses,
  type ProcessEntry,
  withVariable,
} from './process-table.js';

/** In the environment of everything we start: `<run marker>.<number of the command>`. */
export const MARKER_VARIABLE = 'PIPELINE_PROCESS';

/** Between asking (TERM) and killing. */
const GRACE_MS = 2_000;
const MAX_SWEEPS = 5;
const FIRST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 1_000;
const hasProc = existsSync('/proc/self/stat');

/** Resolves when the group is gone, or was killed. */
export async function endGroup(leader: number): Promise<void> {
  if (!askGroup(leader)) return;
  if (await gone(() => groupRuns(leader))) return;
  signalGroup(leader, 'SIGKILL');
  await gone(() => groupRuns(leader));
}

/** The descendants that a process was seen to have: when their parent is gone, nothing tells any more whose they were. */
export interface Family {
  readonly leader: number;
  members(): Iterable<ProcessEntry>;
  /** Looks no more. */
  close(): void;
}

/** Looks often at first, when a command starts what it needs, then once a second. */
export function watchFamily(leader: number): Family {
  const seen = new Map<number, ProcessEntry>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const entry of childrenBelow(leader)) seen.set(entry.pid, entry);
  };
  const lookAgain = (pauseMs: number) => {
    timer = setTimeout(() => {
      look();
      lookAgain(Math.min(pauseMs * 2, LONGEST_LOOK_MS));
    }, pauseMs).unref();
  };
  if (hasProc) lookAgain(FIRST_LOOK_MS);
  return {
    leader,
    members: () => seen.values(),
    close: () => clearTimeout(timer),
  };
}

/**
 * As `endGroup`, with a sweep for what was seen of its family, for the session and for the marker. What left its session and cleared its
 * environment before it was seen is out of reach.
 */
export async function endTree(family: Family, marker: string): Promise<void> {
  const { leader } = family;
  const seen = new Map<number, ProcessEntry>();
  const look = () => {
    for (const entry of treeOf(family, marker)) seen.set(entry.pid, entry);
    return [...seen.values()].filter(isRunning);
  };
  const found = look();
  // All of the group at once: a strict shell whose child was ended first would stop there, without its own trap.
  askGroup(leader);
  for (const entry of found) if (entry.group !== leader) signalOne(entry, 'SIGTERM');
  await gone(() => groupRuns(leader) || [...seen.values()].some(isRunning));
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const inGroup = groupRuns(leader) && signalGroup(leader, 'SIGKILL');
    const left = look();
    for (const entry of left) signalOne(entry, 'SIGKILL');
    if (!inGroup && left.length === 0) return;
    await wait(10);
  }
}

/** KILL at once, without waiting. */
export function killTree(family: Family, marker: string): void {
  const found = treeOf(family, marker);
  signalGroup(family.leader, 'SIGKILL');
  for (const entry of found) signalOne(entry, 'SIGKILL');
}

/** What runs of it, without the leader. */
function treeOf(family: Family, marker: string): ProcessEntry[] {
  const all = listProcesses();
  const members = [...family.members()].filter(isRunning);
  const below = [family.leader, ...members.map(({ pid }) => pid)].flatMap((pid) => descendants(pid, all));
  return [...members, ...below, ...withMarker(marker)];
}

/** What processes of a run are still there: `marker` as given to `createProcesses`. Of a run that is alive, these are its children. */
export function findLeftovers(marker: string): readonly number[] {
  return leftovers(marker).map((entry) => entry.pid);
}

/** Ends what a run that died has left, also what that starts meanwhile. Resolves to how many processes that were. */
export async function endLeftovers(marker: string): Promise<number> {
  const seen = new Map<number, ProcessEntry>();
  const look = () => {
    for (const entry of leftovers(marker)) seen.set(entry.pid, entry);
    return [...seen.values()].filter(isRunning);
  };
  for (const entry of look()) signalOne(entry, 'SIGTERM');
  await gone(() => [...seen.values()].some(isRunning));
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const left = look();
    if (left.length === 0) break;
    for (const entry of left) signalOne(entry, 'SIGKILL');
    await wait(10);
  }
  return seen.size;
}

/** What has the marker, what shares a session with it, what these have started: a child may have cleared its environment. */
function leftovers(marker: string): ProcessEntry[] {
  const marked = withVariable(MARKER_VARIABLE, (value) => value.startsWith(`${marker}.`));
  if (marked.length === 0) return [];
  const all = listProcesses();
  const own = all.find(({ pid }) => pid === ownPid)?.session;
  const sessions = new Set(marked.map(({ session }) => session).filter((session) => session !== own));
  const beside = all.filter(({ session }) => sessions.has(session));
  const below = marked.flatMap(({ pid }) => descendants(pid, all));
  const found = new Map([...marked, ...beside, ...below].map((entry) => [entry.pid, entry]));
  return [...found.values()].filter(({ pid }) => pid !== ownPid);
}

function withMarker(marker: string): ProcessEntry[] {
  return withVariable(MARKER_VARIABLE, (value) => value === marker).filter(({ pid }) => pid !== ownPid);
}

async function gone(runs: () => boolean): Promise<boolean> {
  // By the clock: to look takes long where there are many processes, or little time for us.
  const end = performance.now() + GRACE_MS;
  for (let pause = 5; performance.now() < end; pause = Math.min(pause * 2, 100)) {
    if (!runs()) return true;
    await wait(pause);
  }
  return !runs();
}

/** Whether there was a group to ask. What was stopped must go on to hear it. */
function askGroup(leader: number): boolean {
  return signalGroup(leader, 'SIGTERM') && signalGroup(leader, 'SIGCONT');
}

/** Whether there was a group to get it. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return sendSignal(-leader, signal);
  } catch {
    // ESRCH: nobody left; EPERM: only zombies left, or not ours.
    return false;
  }
}

/** Zombies that nobody has waited for yet still make a group, so look closer where one can. */
function groupRuns(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false;
  return !hasProc || listProcesses().some((entry) => entry.group === leader);
}

function signalOne(entry: ProcessEntry, signal: NodeJS.Signals): void {
  if (!isRunning(entry)) return;
  try {
    sendSignal(entry.pid, signal);
  } catch {
    // It ended in between.
  }
}
