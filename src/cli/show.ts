/** pipeline show: decides whether a skill, a run or a step of a run is meant. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import { hasErrors } from '../core/problems.js';
import { allRuns, findRun } from '../engine/find-run.js';
import { runsDirOf } from '../load/project.js';
import { problemsText } from '../load/report.js';
import { findSkill } from '../load/skills.js';
import { checkPipeline, openProject } from '../run.js';
import { namedRun } from './named-run.js';
import { printJson, printResult, say } from './output.js';
import { planJson, planText } from './show-plan.js';
import { runJson, runText } from './show-run.js';
import { stepJson, stepText } from './show-step.js';

export interface ShowOptions {
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function showCommand(what: string, step: string | undefined, options: ShowOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const project = openProject(around);
  const root = runsDirOf(project.dir);
  const isSkill = step === undefined && !what.includes('/') && findSkill(what, project.places).dir !== undefined;
  const dir = isSkill ? undefined : findRun(what, root, around.cwd);
  if (dir !== undefined && step !== undefined) return print(options, stepJson(dir, step), () => stepText(dir, step));
  if (dir !== undefined) return print(options, runJson(dir), () => runText(dir));
  if (step !== undefined) namedRun(what);
  refuseUnknownRun(what, root);
  const { plan, problems } = await checkPipeline(what, around);
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  if (plan && !hasErrors(problems)) return print(options, planJson(plan), () => planText(plan));
  process.exitCode = 2;
  if (options.json) printJson({ problems });
}

/** `<skill>/<slug>` of a skill that has runs means a run, not a path. */
function refuseUnknownRun(what: string, root: string): void {
  const [skill] = what.split('/');
  if (!what.includes('/') || existsSync(resolve(what)) || !skill) return;
  const slugs = allRuns(root).flatMap(({ label }) => (label.startsWith(`${skill}/`) ? [label] : []));
  if (slugs.length === 0) return;
  throw new Fault('input.unknown', `There is no run "${what}".`, { hint: `Runs: ${slugs.slice(0, 12).join(', ')}` });
}

function print(options: ShowOptions, json: unknown, text: () => string): void {
  if (options.json) printJson(json);
  else printResult(text());
}
