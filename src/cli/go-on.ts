/** pipeline resume, pipeline fork: goes on with a run, or begins another one with what it had finished. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { findRun } from '../engine/find-run.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import { openProject } from '../run.js';
import { type RunOptions, runAndTell } from './run.js';
import { givenInputs, givenOverrides } from './run-options.js';

export interface GoOnOptions extends RunOptions {
  readonly from?: string;
}

export async function resumeCommand(name: string, options: GoOnOptions): Promise<void> {
  const { dir, run } = runNamed(name, options);
  const { query, inputs } = run;
  const from = options.from === undefined ? {} : { from: options.from };
  await runAndTell({ target: targetOf(run), query, inputs, resume: { dir }, ...from }, options);
}

export async function forkCommand(name: string, options: GoOnOptions): Promise<void> {
  const { dir, run } = runNamed(name, options);
  const inputs = { ...run.inputs, ...givenInputs(options.input) };
  const overrides = givenOverrides(options.set ?? []);
  const from = options.from === undefined ? {} : { from: options.from };
  await runAndTell({ target: targetOf(run), query: run.query, inputs, overrides, fork: { dir }, ...from }, options);
}

function runNamed(name: string, { skillsDir }: GoOnOptions): { readonly dir: string; readonly run: RunFile } {
  const project = openProject({ cwd: process.cwd(), env: process.env, skillsDirs: skillsDir });
  const dir = findRun(name, join(project.dir, 'skill_run'), process.cwd());
  const run = dir === undefined ? undefined : readRunFile(dir);
  if (dir !== undefined && run) return { dir, run };
  throw new Fault('input.unknown', `there is no run "${name}"`, { hint: 'pipeline runs lists the runs there are.' });
}

/** The file that was run, or, where it has moved, the skill of that name. */
function targetOf({ file, skill }: RunFile): string {
  return existsSync(file) ? file : skill;
}
