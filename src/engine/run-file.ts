/** run.json: what a run is and what became of it, for people and other programs; a view of the journal. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import type { AskedWith, Census, Origin, RunStatus, UsageTotal } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.js';
import { NO_USAGE } from '../core/usage.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { firstRecord } from './journal.js';

export interface RunFile {
  readonly run: string;
  readonly skill: string;
  readonly slug: string;
  readonly query: string;
  readonly inputs: JsonObject;
  /** Absolute path of the pipeline file. */
  readonly file: string;
  /** Of pipeline, and of Node, in the last session. */
  readonly version: string;
  readonly node: string;
  /** Labels of all models that answered, over all sessions. */
  readonly models: readonly string[];
  readonly placeholder: boolean;
  /** Values of the pipeline file that this run replaces, by path. */
  readonly overrides?: Readonly<Record<string, string>>;
  readonly fork?: Origin;
  /** Of the last session. */
  readonly with?: AskedWith;
  /** Hashes of input files, by path as given. */
  readonly inputFiles: Readonly<Record<string, string>>;
  /** ISO 8601, like all times here: when the first session began. */
  readonly started: string;
  /** When each later session began. */
  readonly resumed?: readonly string[];
  /** When the last session ended; absent while it runs. */
  readonly ended?: string;
  readonly status: RunStatus | 'running';
  readonly outcome?: string;
  readonly message?: string;
  readonly exit?: number;
  readonly census?: Census;
  readonly usage?: UsageTotal;
  readonly result?: Json;
  readonly fault?: FaultData;
}

/**
 * A session of a run begins: its own facts, and the times of the sessions before it.
 * @param earlier what the file said before; undefined for the first session
 */
export function beginRunFile(
  earlier: RunFile | undefined,
  facts: Omit<RunFile, 'started' | 'resumed' | 'ended' | 'status'>,
  now: string,
): RunFile {
  const times = earlier ? { started: earlier.started, resumed: [...(earlier.resumed ?? []), now] } : { started: now };
  const fork = earlier?.fork && !facts.fork ? { fork: earlier.fork } : {};
  return { ...facts, ...fork, ...times, status: 'running' };
}

/** When something last happened in it, as far as run.json tells. */
export function activityOf(run: RunFile): string {
  return run.ended ?? sessionStart(run);
}

/** When its last session began. */
export function sessionStart(run: RunFile): string {
  return run.resumed?.at(-1) ?? run.started;
}

export function writeRunFile(file: string, run: RunFile): void {
  writeFileAtomic(file, `${JSON.stringify(run, null, 2)}\n`, { durable: run.status !== 'running' });
}

/** Undefined when there is none, or it is not one of ours. */
export function readRunFile(dir: string): RunFile | undefined {
  const file = join(dir, 'run.json');
  try {
    if (!fs.statSync(file).isFile()) return fromJournal(dir);
    const value = JSON.parse(fs.readFileSync(file, 'utf8')) as Json;
    return isOurs(value) ? completed(value as unknown as RunFile) : fromJournal(dir);
  } catch {
    return fromJournal(dir);
  }
}

/** What every list of runs reads of it. */
function isOurs(value: Json): value is JsonObject {
  if (!isObject(value)) return false;
  return ['run', 'skill', 'slug', 'query', 'started', 'status'].every((name) => typeof value[name] === 'string');
}

/** Earlier versions did not say what a run cost; only one with placeholder texts certainly cost nothing. */
function completed(run: RunFile): RunFile {
  const { usage, placeholder } = run;
  if (!usage) return run;
  const earlier: UsageTotal = { ...NO_USAGE, unpricedCalls: placeholder ? 0 : usage.calls };
  return { ...run, usage: { ...earlier, ...usage } };
}

/** run.json is a view of the journal: without it, the first event says what the run is. */
function fromJournal(dir: string): RunFile | undefined {
  const first = firstRecord(join(dir, 'events.ndjson'));
  if (first?.type !== 'run_started') return undefined;
  const { run, skill, slug, query, inputs, file, version, at, model, overrides, fork, with: asked } = first;
  const models = model === undefined ? [] : [model];
  const facts = { run, skill, slug, query, inputs, file, version, node: '', models, placeholder: model === 'sketch' };
  const more = { ...(overrides ? { overrides } : {}), ...(fork ? { fork } : {}), ...(asked ? { with: asked } : {}) };
  return { ...facts, ...more, inputFiles: {}, started: at, status: 'running' };
}

/** All runs below a skill's folder, those with the newest activity first; a name that begins with a dot is no run's. */
export function runsOf(skillRunDir: string): { readonly dir: string; readonly run: RunFile }[] {
  if (!fs.existsSync(skillRunDir)) return [];
  return fs
    .readdirSync(skillRunDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const dir = join(skillRunDir, entry.name);
      const run = readRunFile(dir);
      return run ? [{ dir, run }] : [];
    })
    .sort(newestFirst);
}

/** ISO 8601 sorts as text. */
export function newestFirst(a: { readonly run: RunFile }, b: { readonly run: RunFile }): number {
  return activityOf(a.run) < activityOf(b.run) ? 1 : activityOf(a.run) > activityOf(b.run) ? -1 : 0;
}

/** The newest run of the skill with the same query, inputs and replaced values. */
export function newestRun(
  skillRunDir: string,
  query: string,
  inputs: JsonObject,
  overrides: Readonly<Record<string, string>>,
): string | undefined {
  const wanted = canonicalJson([inputs, overrides]);
  return runsOf(skillRunDir).find(
    ({ run }) => run.query === query && canonicalJson([run.inputs, run.overrides ?? {}]) === wanted,
  )?.dir;
}

/** `latest` is a link that is swapped by rename; whoever holds the run's lock is alone with its slug. */
export function pointLatest(skillRunDir: string, slug: string): void {
  const temporary = join(skillRunDir, `.latest-${basename(slug)}`);
  fs.rmSync(temporary, { force: true });
  fs.symlinkSync(slug, temporary);
  fs.renameSync(temporary, join(skillRunDir, 'latest'));
}
