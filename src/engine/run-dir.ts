/** The folders and files of one run: where each thing is. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { StepPath } from '../core/outcome.js';
import { RESULTS } from '../files/names.js';

/** Absolute paths below `skill_run/<skill>/<slug>/`. */
export interface RunDir {
  readonly dir: string;
  readonly journal: string;
  readonly runJson: string;
  readonly report: string;
  readonly lock: string;
  readonly blobs: string;
  /** Journals of the runs that this one was forked from, the oldest first by name. */
  readonly origins: string;
  step(path: StepPath): StepDir;
}

export interface StepDir {
  readonly dir: string;
  readonly work: string;
  readonly prompt: string;
  readonly transcript: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly attempts: string;
}

export function runDirAt(dir: string): RunDir {
  const steps = join(dir, '.steps');
  return {
    dir,
    journal: join(dir, 'events.ndjson'),
    runJson: join(dir, 'run.json'),
    report: join(dir, 'report.html'),
    lock: join(dir, '.lock'),
    blobs: join(steps, '.blobs'),
    origins: join(steps, '.origins'),
    step: (path) => stepDirAt(`${steps}/${path}`),
  };
}

/** @param dir of a step, or of an earlier attempt at it */
export function stepDirAt(dir: string): StepDir {
  return {
    dir,
    work: `${dir}/work`,
    prompt: `${dir}/prompt.md`,
    transcript: `${dir}/transcript.ndjson`,
    stdout: `${dir}/stdout.log`,
    stderr: `${dir}/stderr.log`,
    attempts: `${dir}/attempts`,
  };
}

/**
 * Moves what an earlier attempt left into `attempts/<n>/`, so that this one begins in an empty folder.
 * @param forget also the answer that a person gave
 */
export function archiveAttempt(step: StepDir, forget: boolean): void {
  if (!fs.existsSync(step.dir)) return;
  const left = leftovers(step, forget);
  if (left.length === 0) return;
  const into = nextAttempt(step);
  for (const name of left) fs.renameSync(join(step.dir, name), join(into, name));
}

/** What a process left in `$PIPELINE_OUTPUT` is in the step's output, redacted in its fault, or nobody's: it may hold secrets. */
export function dropOutput({ dir }: StepDir): void {
  fs.rmSync(join(dir, 'output.txt'), { recursive: true, force: true });
}

/** As `archiveAttempt`, and leaves all in its place too: the next attempt goes on with it. */
export function copyAttempt(step: StepDir): void {
  const left = leftovers(step, false);
  if (left.length === 0) return;
  const into = nextAttempt(step);
  const mode = fs.constants.COPYFILE_FICLONE;
  for (const name of left)
    fs.cpSync(join(step.dir, name), join(into, name), { recursive: true, mode, verbatimSymlinks: true });
}

function nextAttempt(step: StepDir): string {
  fs.mkdirSync(step.attempts, { recursive: true, mode: 0o700 });
  const into = join(step.attempts, String(fs.readdirSync(step.attempts).length + 1));
  fs.mkdirSync(into, { mode: 0o700 });
  return into;
}

/** The full texts of tool results outlive the work folder. */
export function keepResults(step: StepDir): void {
  const from = join(step.work, RESULTS);
  if (!fs.lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) return;
  const to = join(step.dir, 'results');
  fs.rmSync(to, { recursive: true, force: true });
  fs.renameSync(from, to);
}

const OWN_NAMES = ['prompt.md', 'transcript.ndjson', 'stdout.log', 'stderr.log', 'results', 'work'];

function leftovers(step: StepDir, forget: boolean): string[] {
  return [...OWN_NAMES, ...(forget ? ['answer.json'] : [])].filter((name) => {
    const stat = fs.lstatSync(join(step.dir, name), { throwIfNoEntry: false });
    if (!stat) return false;
    return name !== 'work' || fs.readdirSync(join(step.dir, name)).length > 0;
  });
}
