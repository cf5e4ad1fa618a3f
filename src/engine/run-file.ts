/** run.json: what a run is and what became of it, for people and other programs; a view of the journal. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { pid } from 'node:process';
import type { Census, RunStatus, UsageTotal } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.js';
import { writeFileAtomic } from '../files/atomic-write.js';

export interface RunFile {
  readonly run: string;
  readonly skill: string;
  readonly slug: string;
  readonly query: string;
  readonly inputs: JsonObject;
  /** Absolute path of the pipeline file. */
  readonly file: string;
  /** The pipeline file as it was given, if the target was no skill's name. */
  readonly version: string;
  readonly node: string;
  /** Labels of the models that answered. */
  readonly models: readonly string[];
  readonly placeholder: boolean;
  /** Hashes of input files, by path as given. */
  readonly inputFiles: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly started: string;
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

export function writeRunFile(file: string, run: RunFile): void {
  writeFileAtomic(file, `${JSON.stringify(run, null, 2)}\n`, { durable: run.status !== 'running' });
}

/** Undefined when there is none, or it is not one of ours. */
export function readRunFile(dir: string): RunFile | undefined {
  try {
    const value = JSON.parse(fs.readFileSync(join(dir, 'run.json'), 'utf8')) as Json;
    return isObject(value) && typeof value.run === 'string' ? (value as unknown as RunFile) : undefined;
  } catch {
    return undefined;
  }
}

/** All runs below a skill's folder, newest first. */
export function runsOf(skillRunDir: string): { readonly dir: string; readonly run: RunFile }[] {
  if (!fs.existsSync(skillRunDir)) return [];
  return fs
    .readdirSync(skillRunDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => {
      const dir = join(skillRunDir, entry.name);
      const run = readRunFile(dir);
      return run ? [{ dir, run }] : [];
    })
    .sort((a, b) => (a.run.started < b.run.started ? 1 : a.run.started > b.run.started ? -1 : 0));
}

/** The newest run of the skill with the same query and inputs. */
export function newestRun(skillRunDir: string, query: string, inputs: JsonObject): string | undefined {
  const wanted = canonicalJson(inputs);
  return runsOf(skillRunDir).find(({ run }) => run.query === query && canonicalJson(run.inputs) === wanted)?.dir;
}

/** `latest` is a link that is swapped by rename. */
export function pointLatest(skillRunDir: string, slug: string): void {
  const temporary = join(skillRunDir, `.latest-${pid}-${basename(slug)}`);
  fs.rmSync(temporary, { force: true });
  fs.symlinkSync(slug, temporary);
  fs.renameSync(temporary, join(skillRunDir, 'latest'));
}
