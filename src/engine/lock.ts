/** One writer per run folder: a lock file that names a process, so that a dead one's lock can be told from a live one's. */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { pid as ownPid, kill as sendSignal } from 'node:process';
import { Fault } from '../core/faults.js';
import { sha256 } from '../core/json.js';
import { shellWord } from '../core/shell-word.js';
import { errorCode } from '../files/layer.js';
import { bootId, ownStart, pidSpace, startOf } from './process-identity.js';
import { nameOfRun } from './ways-on.js';

export const LOCK_FILE = '.lock';

export interface Lock {
  /** Gives the folder free; twice is once. */
  release(): void;
  /** The dead process whose lock was taken over; pid 0 if its lock could not be read. */
  readonly tookOver?: { readonly pid: number; readonly since: string };
}

interface Holder {
  readonly pid: number;
  /** Tells the process from a later one with the same pid. */
  readonly started: string;
  readonly boot: string;
  /** The space that its pid is a number of: another container of the same machine has another. Earlier versions do not say it. */
  readonly space?: string;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly nonce: string;
}

/** Throws `run.in_use` while a live process holds it, `input.unknown` if the folder is not there (any more). */
export function takeLock(dir: string): Lock {
  try {
    return taken(dir);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || existsSync(dir)) throw error;
    throw new Fault('input.unknown', `The run folder ${dir} is gone.`, {
      hint: 'pipeline runs lists the runs there are.',
    });
  }
}

/**
 * A lock that is there is never removed before its successor takes its name. The right to replace a dead holder's lock is a *claim*: a
 * hard link named after that lock's nonce, which the system makes for one process only. A dead claimant's claim is claimed likewise.
 */
function taken(dir: string): Lock {
  const file = join(dir, LOCK_FILE);
  const me = self();
  const temporary = join(dir, `${LOCK_FILE}.${me.pid}.${me.nonce}.tmp`);
  try {
    // On a full disk it is made, and stays empty.
    writeFileSync(temporary, JSON.stringify(me), { flag: 'wx', mode: 0o600 });
    refuseForeign(dir, temporary);
    for (;;) {
      if (linked(temporary, file)) return held(dir, me);
      const stale = readHolder(file);
      if (!stale) continue;
      if (isAlive(stale)) throw inUse(stale, file);
      const claim = claimPath(dir, stale);
      if (!linked(temporary, claim)) continue;
      if (readHolder(file)?.nonce !== stale.nonce) {
        rmSync(claim, { force: true });
        continue;
      }
      renameSync(temporary, file);
      return held(dir, me, stale);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

function held(dir: string, me: Holder, stale?: Holder): Lock {
  const file = join(dir, LOCK_FILE);
  // While a live holder is there no claim is good: what is left of older ones can go.
  for (const name of readdirSync(dir)) {
    if (name.startsWith(`${LOCK_FILE}.claim-`) || isAbandoned(dir, name)) rmSync(join(dir, name), { force: true });
  }
  const release = () => {
    try {
      if (readHolder(file)?.nonce === me.nonce) rmSync(file, { force: true });
    } catch {
      // What the run came to stands; the lock is a dead process's when this one has ended.
    }
  };
  return stale ? { release, tookOver: { pid: stale.pid, since: stale.since } } : { release };
}

/** What a process that was killed while it took the lock has left; a live one still needs its own. */
function isAbandoned(dir: string, name: string): boolean {
  if (!name.startsWith(`${LOCK_FILE}.`) || !name.endsWith('.tmp')) return false;
  const holder = readHolder(join(dir, name));
  if (holder !== undefined && holder.pid > 0) return !isAlive(holder);
  // Empty: a process was killed before it had written it, or is just about to. Its name says whose it is.
  const pid = Number(name.split('.').at(-3));
  return pid > 0 && startOf(pid) === undefined;
}

/** A journal that somebody else wrote could make this person's run publish anything. @param own a file that we have just made in it */
function refuseForeign(dir: string, own: string): void {
  const { uid } = statSync(dir);
  if (statSync(own).uid === uid) return;
  throw new Fault('run.storage', `The run folder ${dir} belongs to another user (uid ${uid}).`, {
    hint: 'Run it as that user. If you trust all that is in it, make it yours (chown -R).',
  });
}

/** The claim that is still to be had; throws `run.in_use` if a live process has one. */
function claimPath(dir: string, stale: Holder): string {
  let claim = join(dir, `${LOCK_FILE}.claim-${stale.nonce}`);
  for (;;) {
    const claimant = readHolder(claim);
    if (!claimant) return claim;
    if (isAlive(claimant)) throw inUse(claimant, join(dir, LOCK_FILE));
    claim = join(dir, `${LOCK_FILE}.claim-${claimant.nonce}`);
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function self(): Holder {
  return {
    pid: ownPid,
    started: ownStart(),
    boot: bootId(),
    space: pidSpace(),
    host: hostname(),
    since: new Date().toISOString(),
    nonce: randomBytes(8).toString('hex'),
  };
}

/** Undefined if there is no lock; one that cannot be read is a dead process's. */
function readHolder(file: string): Holder | undefined {
  let text: string;
  if (isSpecial(file)) {
    throw new Fault('run.storage', `the lock ${file} is not a regular file`, {
      hint: 'Remove it: no run has put it there.',
    });
  }
  try {
    text = readFileSync(file, 'utf8');
    const holder = (JSON.parse(text) ?? {}) as Holder;
    if (Number.isInteger(holder.pid) && holder.pid > 0 && /^[0-9a-f]{16}$/.test(holder.nonce)) return holder;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    text = '';
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const nonce = sha256(`${text}${stats.ino}`).slice(0, 16);
  return { pid: 0, started: '', boot: '', host: hostname(), since: stats.mtime.toISOString(), nonce };
}

/** Locks are files that we wrote: a pipe in the place of one would never open. */
function isSpecial(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

function isAlive(holder: Holder): boolean {
  if (holder.pid === 0) return false;
  // Of one elsewhere nobody here can tell.
  if (holder.boot !== bootId()) return holder.host !== hostname();
  if (isElsewhere(holder)) return true;
  const started = startOf(holder.pid);
  return started !== undefined && started === holder.started;
}

function isElsewhere({ boot, space }: Holder): boolean {
  return boot !== bootId() || (space !== undefined && space !== pidSpace());
}

function inUse(holder: Holder, file: string): Fault {
  const where = isElsewhere(holder) || holder.host !== hostname() ? ` on ${holder.host}` : '';
  return new Fault('run.in_use', `The run is in use by pid ${holder.pid}${where} since ${holder.since}.`, {
    hint: where
      ? `If nothing runs there any more, remove ${file}.`
      : `Wait for it, or end it: pipeline stop ${shellWord(nameOfRun(dirname(file)))}.`,
  });
}

/** A live process that holds a folder. */
export interface LiveHolder {
  readonly pid: number;
  readonly since: string;
  /** Names what it holds the folder for: one session of one run. */
  readonly nonce: string;
  /** The other machine that it runs on. */
  readonly elsewhere?: string;
}

/** The live process that holds the folder, if there is one. */
export function lockHolder(dir: string): LiveHolder | undefined {
  const file = join(dir, LOCK_FILE);
  if (isSpecial(file)) return undefined;
  const holder = readHolder(file);
  if (!holder || !isAlive(holder)) return undefined;
  const { pid, since, nonce, host } = holder;
  return { pid, since, nonce, ...(isElsewhere(holder) ? { elsewhere: host } : {}) };
}

/**
 * Sends a signal to the holder if it still holds the folder, and never to another process that got its pid: it is looked for just before.
 * Throws `run.forbidden` if it is another user's.
 * @returns whether there was one to get it
 */
export function signalHolder(dir: string, nonce: string, signal: NodeJS.Signals): boolean {
  const holder = lockHolder(dir);
  if (holder?.nonce !== nonce || holder.elsewhere !== undefined) return false;
  try {
    return sendSignal(holder.pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) !== 'EPERM') throw error;
    throw new Fault('run.forbidden', `Process ${holder.pid}, which works on the run, belongs to another user.`, {
      hint: 'End it as that user.',
    });
  }
}
