/** pipeline show: decides whether a skill, a run or a step of a run is meant. */
import { join } from 'node:path';
import { hasErrors } from '../core/problems.js';
import { findRun } from '../engine/find-run.js';
import { problemsText } from '../load/report.js';
import { checkPipeline, openProject } from '../run.js';
import { printJson, printResult, say } from './output.js';
import { planJson, planText } from './show-plan.js';
import { runJson, runText, stepJson, stepText } from './show-run.js';

export interface ShowOptions {
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function showCommand(what: string, step: string | undefined, options: ShowOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const dir = findRun(what, join(openProject(around).dir, 'skill_run'), around.cwd);
  if (dir !== undefined && step !== undefined) return print(options, stepJson(dir, step), () => stepText(dir, step));
  if (dir !== undefined && what.includes('/')) return print(options, runJson(dir), () => runText(dir));
  const { plan, problems } = await checkPipeline(what, around);
  if (!plan && dir !== undefined) return print(options, runJson(dir), () => runText(dir));
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  if (plan && !hasErrors(problems)) return print(options, planJson(plan), () => planText(plan));
  process.exitCode = 2;
  if (options.json) printJson({ problems });
}

function print(options: ShowOptions, json: unknown, text: () => string): void {
  if (options.json) printJson(json);
  else printResult(text());
}
