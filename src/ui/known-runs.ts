/** The runs of some projects, by what their addresses say: nothing else is ever opened. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { lockHolder } from '../engine/lock.js';
import { newestFirst, type RunFile, readRunFile } from '../engine/run-file.js';
import { LIVE, type Status } from './statuses.js';

export interface UiProject {
  /** Absolute. */
  readonly dir: string;
  /** The folder's own; with those around it where another project has the same. */
  readonly name: string;
}

export interface KnownRun {
  /** Index among the projects. */
  readonly project: number;
  /** Its folder in skill_run/. */
  readonly skill: string;
  /** Its folder in that. */
  readonly slug: string;
  /** Absolute. */
  readonly dir: string;
  readonly run: RunFile;
  readonly status: Status;
}

export interface KnownRuns {
  readonly projects: readonly UiProject[];
  /** Those with the newest activity first. */
  all(): KnownRun[];
  find(project: string, skill: string, slug: string): KnownRun | undefined;
}

/** @param dirs of the projects; absolute */
export function knownRuns(dirs: readonly string[]): KnownRuns {
  const projects = dirs.map((dir) => ({ dir, name: nameAmong(dir, dirs) }));
  /** By folder: what was read, and of which state of it. */
  const read = new Map<string, { readonly stamp: string; readonly run: RunFile | undefined }>();
  const runIn = (dir: string): RunFile | undefined => {
    const stamp = stampOf(dir);
    const known = read.get(dir);
    if (known?.stamp === stamp) return known.run;
    const run = readRunFile(dir);
    read.set(dir, { stamp, run });
    return run;
  };
  const runsOf = (project: number): KnownRun[] => {
    const root = join(projects[project]?.dir ?? '', 'skill_run');
    return foldersIn(root).flatMap((skill) =>
      foldersIn(join(root, skill)).flatMap((slug) => {
        const dir = join(root, skill, slug);
        const run = runIn(dir);
        return run ? [{ project, skill, slug, dir, run, status: statusOf(run, dir) }] : [];
      }),
    );
  };
  return {
    projects,
    all: () => projects.flatMap((_, at) => runsOf(at)).sort(newestFirst),
    find(project, skill, slug) {
      const at = projects.findIndex((_, index) => String(index) === project);
      const root = join(projects[at]?.dir ?? '', 'skill_run');
      if (at < 0 || !foldersIn(root).includes(skill) || !foldersIn(join(root, skill)).includes(slug)) return undefined;
      const dir = join(root, skill, slug);
      const run = runIn(dir);
      return run && { project: at, skill, slug, dir, run, status: statusOf(run, dir) };
    },
  };
}

/** A dead process never leaves a run "running". */
function statusOf(run: RunFile, dir: string): Status {
  if (run.status !== 'running') return run.status;
  return isHeld(dir) ? LIVE : 'interrupted';
}

/** Whether a process is at work on it. */
export function isHeld(dir: string): boolean {
  try {
    return lockHolder(dir) !== undefined;
  } catch {
    return false;
  }
}

/** Without links, such as `latest`, and without what begins with a dot. */
function foldersIn(dir: string): string[] {
  try {
    const entries = fs.readdirSync(dir, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** Changes with run.json; without that one with the journal. */
function stampOf(dir: string): string {
  return fileStamp(join(dir, 'run.json')) || fileStamp(join(dir, 'events.ndjson'));
}

/** '' for none. */
export function fileStamp(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino}.${stat.size}.${stat.mtimeNs}` : '';
}

function nameAmong(dir: string, dirs: readonly string[]): string {
  const isAlone = dirs.filter((one) => basename(one) === basename(dir)).length === 1;
  return isAlone ? basename(dir) || dir : dir;
}
