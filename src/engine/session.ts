/** Opens a run folder for one process: a new one, or an earlier one to go on with. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../core/faults.js';
import type { JsonObject } from '../core/json.js';
import { realFiles } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { type Counts, createCounts } from './census.js';
import { cutTail, readJournal } from './journal.js';
import { LOCK_FILE, lockHolder, takeLock } from './lock.js';
import { copyOrigin, rememberOrigins } from './origin.js';
import { createPast, type Past } from './past.js';
import { type RunDir, runDirAt } from './run-dir.js';
import { newestRun, type RunFile, readRunFile } from './run-file.js';
import { freeSlug, slugOf } from './slug.js';

export interface Session {
  readonly runId: string;
  readonly runDir: RunDir;
  readonly slug: string;
  readonly resumed: boolean;
  /** Ids of the step that a person asked, this time, to be done again. */
  readonly from?: string;
  /** The id of the run whose results it begins with. */
  readonly forkedFrom?: string;
  /** What an earlier session was run with; undefined for a new run. */
  readonly earlier?: { readonly models: readonly string[]; readonly placeholder: boolean };
  /** An earlier process ended without giving the folder free; processes of it may be left. */
  readonly interrupted: boolean;
  readonly past: Past;
  /** Over all sessions of the run. */
  readonly counts: Counts;
  readonly lastSeq: number;
  /** What a person should hear: a slug that was taken, a torn tail, a dead process's lock. */
  readonly notices: readonly string[];
  release(): void;
}

export interface SessionRequest {
  /** Absolute: `skill_run/<skill>`. */
  readonly skillRunDir: string;
  readonly query: string;
  readonly inputs: JsonObject;
  readonly overrides: Readonly<Record<string, string>>;
  newId(): string;
  /** `newest`: of the same query and inputs; or the absolute path of a run folder; undefined for a new run. */
  readonly resume: 'newest' | { readonly dir: string } | undefined;
  /** A run folder whose results a new run begins with. */
  readonly fork: { readonly dir: string } | undefined;
  /** Ids of a step that is done again: `rounds/audit`. */
  readonly from: string | undefined;
}

export async function openSession(request: SessionRequest): Promise<Session> {
  const session = await sessionFor(request);
  const { from } = request;
  if (from === undefined) return session;
  session.past.rerun = { ids: from, done: new Set() };
  return { ...session, from };
}

async function sessionFor(request: SessionRequest): Promise<Session> {
  if (request.fork) return forkedSession(request, request.fork.dir);
  if (request.resume === undefined) return newSession(request);
  const dir =
    request.resume === 'newest'
      ? newestRun(request.skillRunDir, request.query, request.inputs, request.overrides)
      : request.resume.dir;
  if (dir !== undefined) return earlierSession(dir);
  const fresh = await newSession(request);
  return { ...fresh, notices: ['no earlier run has this query and these inputs: this is a new one', ...fresh.notices] };
}

async function newSession(request: SessionRequest): Promise<Session> {
  const wanted = await slugOf(request.query);
  const { slug, runDir, lock } = await newFolder(request.skillRunDir, wanted);
  const notices =
    slug === wanted
      ? []
      : [`a run "${wanted}" exists already: this one is "${slug}" (a resume goes on with the newest)`];
  return {
    runId: request.newId(),
    runDir,
    slug,
    resumed: false,
    interrupted: false,
    past: createPast(),
    counts: createCounts(),
    lastSeq: 0,
    notices,
    release: lock.release,
  };
}

/** One that a process left which died before its first fact is taken, so that the run has the name that it would have had. */
async function newFolder(skillRunDir: string, wanted: string) {
  const refused = new Set<string>();
  for (;;) {
    const slug = await freeSlug(skillRunDir, wanted, (dir) => !refused.has(dir) && isUnbegun(dir));
    const runDir = runDirAt(join(skillRunDir, slug));
    try {
      const lock = takeLock(runDir.dir);
      if (lock.tookOver) clearUnbegun(runDir.dir);
      return { slug, runDir, lock };
    } catch (error) {
      // Somebody else was as quick.
      if (!(error instanceof Fault) || error.data.code !== 'run.in_use') {
        leaveEmpty(runDir.dir);
        throw error;
      }
      refused.add(runDir.dir);
    }
  }
}

/** What could not be locked, e.g. on a full disk, is no run. */
function leaveEmpty(dir: string): void {
  try {
    fs.rmdirSync(dir);
  } catch {
    // It holds something, or is gone.
  }
}

/** Empty, or a dead process's lock with no fact. */
function isUnbegun(dir: string): boolean {
  if (isEmptyFolder(dir)) return true;
  const { journal } = runDirAt(dir);
  return fs.existsSync(join(dir, LOCK_FILE)) && !lockHolder(dir) && !readRunFile(dir) && !hasLine(journal);
}

/** What is no folder is not: it stays, and the run gets another name. */
function isEmptyFolder(dir: string): boolean {
  return fs.lstatSync(dir).isDirectory() && fs.readdirSync(dir).length === 0;
}

/** Half of its first line is none. */
function hasLine(journal: string): boolean {
  return fs.existsSync(journal) && fs.readFileSync(journal).includes(10);
}

function clearUnbegun(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    if (name !== LOCK_FILE) fs.rmSync(join(dir, name), { recursive: true, force: true });
  }
}

/** A new run that knows what another one finished. */
async function forkedSession(request: SessionRequest, source: string): Promise<Session> {
  const run = runFileOf(source);
  const label = `${run.skill}/${run.slug}`;
  const fresh = await newSession(request);
  try {
    copyOrigin(runDirAt(source), fresh.runDir);
    rememberOrigins(fresh.runDir, fresh.past);
    return {
      ...fresh,
      forkedFrom: run.run,
      earlier: { models: run.models, placeholder: run.placeholder },
      notices: [`this run begins with what ${label} had finished`],
    };
  } catch (error) {
    fresh.release();
    fs.rmSync(fresh.runDir.dir, { recursive: true, force: true });
    throw error;
  }
}

function runFileOf(dir: string): RunFile {
  const run = readRunFile(dir);
  if (run) return run;
  throw new Fault('input.unknown', `${dir} is not a run folder`, { hint: 'pipeline runs lists the runs there are.' });
}

function earlierSession(dir: string): Session {
  const run = runFileOf(dir);
  const lock = takeLock(dir);
  try {
    const runDir = runDirAt(dir);
    const past = createPast();
    const counts = createCounts();
    const notices = lock.tookOver ? [`took over from process ${lock.tookOver.pid}, which ended without finishing`] : [];
    let lastSeq = 0;
    rememberOrigins(runDir, past);
    if (fs.existsSync(runDir.journal)) {
      const end = readJournal(runDir.journal, createBlobs(runDir.blobs, realFiles), (record) => {
        past.remember(record);
        counts.add(record);
      });
      lastSeq = end.lastSeq;
      if (end.tornBytes > 0) {
        cutTail(runDir.journal, end.wholeBytes);
        notices.push(`the last ${end.tornBytes} bytes of the journal were torn by a crash and are cut off`);
      }
    }
    // A process that was killed before its first fact has begun nothing; what it was to begin with is in run.json.
    const unbegunFork = lastSeq === 0 ? run.fork : undefined;
    const from = unbegunFork?.from;
    if (from !== undefined) past.rerun = { ids: from, done: new Set() };
    return {
      ...(unbegunFork ? { forkedFrom: unbegunFork.run } : {}),
      ...(from === undefined ? {} : { from }),
      runId: run.run,
      runDir,
      slug: basename(dir),
      resumed: lastSeq > 0,
      earlier: { models: run.models, placeholder: run.placeholder },
      interrupted: lock.tookOver !== undefined,
      past,
      counts,
      lastSeq,
      notices,
      release: lock.release,
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
