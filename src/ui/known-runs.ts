/** The runs of some projects, by what their addresses say: nothing else is ever opened. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { lockHolder } from '../engine/lock.js';
import { runDirAt } from '../engine/run-dir.js';
import { newestFirst, type RunFile, readRunFile } from '../engine/run-file.js';
import { type LiveStatus, liveStatus } from '../engine/run-status.js';
import { runsDirOf } from '../load/project.js';

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
  readonly status: LiveStatus;
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
  const runAt = (project: number, root: string, skill: string, slug: string): KnownRun[] => {
    const dir = join(root, skill, slug);
    const run = runIn(dir);
    return run ? [{ project, skill, slug, dir, run, status: statusOf(run, dir) }] : [];
  };
  const runsOf = ({ dir }: UiProject, at: number): KnownRun[] => {
    const root = runsDirOf(dir);
    return foldersIn(root).flatMap((skill) =>
      foldersIn(join(root, skill)).flatMap((slug) => runAt(at, root, skill, slug)),
    );
  };
  return {
    projects,
    all: () => projects.flatMap(runsOf).sort(newestFirst),
    find(wanted, skill, slug) {
      const project = projects.find((_, index) => String(index) === wanted);
      if (!project) return undefined;
      const root = runsDirOf(project.dir);
      if (!foldersIn(root).includes(skill) || !foldersIn(join(root, skill)).includes(slug)) return undefined;
      return runAt(projects.indexOf(project), root, skill, slug)[0];
    },
  };
}

/** A lock that cannot be read is nobody's: one such run hides no other. */
function statusOf(run: RunFile, dir: string): LiveStatus {
  try {
    return liveStatus(run, dir);
  } catch {
    return 'interrupted';
  }
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
  const { runJson, journal } = runDirAt(dir);
  return fileStamp(runJson) || fileStamp(journal);
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
