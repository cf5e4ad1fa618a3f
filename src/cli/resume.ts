/** pipeline resume, pipeline fork: goes on with a run, or begins another one with what it had finished. */
import { existsSync } from 'node:fs';
import { Fault } from '../core/faults.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import type { RunRequest } from '../request.js';
import { namedRun } from './named-run.js';
import { runAndTell, type SessionOptions } from './run.js';
import { givenInputs, givenOverrides } from './run-options.js';

export interface ResumeOptions extends SessionOptions {
  readonly from?: string;
  readonly step?: string;
  readonly rounds?: number;
}

export interface ForkOptions extends SessionOptions {
  readonly from?: string;
  readonly input: readonly string[];
  readonly set: readonly string[];
}

export async function resumeCommand(name: string, options: ResumeOptions): Promise<void> {
  const { dir, run } = runNamed(name);
  const { query, inputs } = run;
  const { from, step, rounds } = options;
  const again = {
    ...(from === undefined ? {} : { from }),
    ...(step === undefined && rounds === undefined ? {} : { goOn: given(options) }),
  };
  await runAndTell({ target: targetOf(run), query, inputs, resume: { dir }, ...again }, options);
}

export async function forkCommand(name: string, options: ForkOptions): Promise<void> {
  const { dir, run } = runNamed(name);
  const inputs = { ...run.inputs, ...givenInputs(options.input) };
  const overrides = givenOverrides(options.set);
  const from = options.from === undefined ? {} : { from: options.from };
  await runAndTell({ target: targetOf(run), query: run.query, inputs, overrides, fork: { dir }, ...from }, options);
}

function given({ step, rounds }: Pick<ResumeOptions, 'step' | 'rounds'>): NonNullable<RunRequest['goOn']> {
  return { ...(step === undefined ? {} : { step }), ...(rounds === undefined ? {} : { rounds }) };
}

function runNamed(name: string): { readonly dir: string; readonly run: RunFile } {
  const dir = namedRun(name);
  const run = readRunFile(dir);
  if (run) return { dir, run };
  throw new Fault('input.unknown', `${dir} is not a run folder`, { hint: 'pipeline runs lists the runs there are.' });
}

/** The file that was run, or, where it has moved, the skill of that name. */
function targetOf({ file, skill }: RunFile): string {
  return existsSync(file) ? file : skill;
}
