/** pipeline check: every mistake of every file, at once. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { counted } from '../core/words.js';
import { type Fixed, fixAll } from '../load/fix.js';
import { asErrors } from '../load/notes.js';
import { fixedText, type Paint, problemsText } from '../load/report.js';
import { problemsSarif } from '../load/sarif.js';
import { discoverSkills, findSkill } from '../load/skills.js';
import { checkPipeline, openProject } from '../run.js';
import { simulationsIn } from '../simulate/sim-file.js';
import { claimProblems } from '../testing/claim-types.js';
import { testProblems } from '../testing/find-tests.js';
import { version } from '../version.js';
import { printJson, say, stderrScreen } from './output.js';

interface CheckOptions {
  readonly strict?: boolean;
  readonly fix?: boolean;
  readonly format?: 'text' | 'json' | 'sarif';
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function checkCommand(targets: readonly string[], options: CheckOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const strict = options.strict === true;
  const format = formatOf(options);
  const project = openProject(around);
  let names = targets;

  const check = async (): Promise<Problem[]> => {
    const problems: Problem[] = [];
    if (targets.length === 0) {
      const found = discoverSkills(project.places);
      problems.push(...(strict ? asErrors(found.problems) : found.problems));
      names = found.skills.map((skill) => skill.dir);
    }
    for (const name of names) {
      const read = await checkPipeline(name, around, { strict });
      problems.push(...read.problems);
      if (read.plan) problems.push(...besideProblems(read.plan, strict));
    }
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
  };

  const skillFolders = targets.flatMap((target) => folderOf(target, project.places));
  const { problems, fixed } = options.fix
    ? await fixAll(check, [project.dir, ...skillFolders])
    : { problems: await check(), fixed: undefined };
  process.exitCode = hasErrors(problems) ? 2 : 0;
  if (format === 'sarif') return printJson(problemsSarif(problems, { projectDir: project.dir, version }));
  if (format === 'json') return printJson({ problems, ...(fixed ? { fixed } : {}) });
  sayAll(problems, fixed, names.length);
}

/** Of the files in `tests/` of a skill, or of the folder of a pipeline.yaml: which of other files they are about, only who runs them says. */
function besideProblems(plan: Plan, strict: boolean): readonly Problem[] {
  if (!['pipeline.yaml', 'SKILL.md'].includes(basename(plan.file))) return [];
  const dir = dirname(plan.file);
  const { simulations, problems } = simulationsIn(dir);
  const ofClaims = simulations.flatMap(({ claims }) => claimProblems(claims, plan));
  const all = [...testProblems(dir, plan), ...problems, ...ofClaims];
  return strict ? asErrors(all) : all;
}

function formatOf({ format, json }: CheckOptions): 'text' | 'json' | 'sarif' {
  if (json && format !== undefined && format !== 'json')
    throw new Fault('input.invalid', `--json and --format ${format} exclude each other`);
  return json ? 'json' : (format ?? 'text');
}

/** Of a skill, or the one that a file stands in. */
function folderOf(target: string, places: Parameters<typeof findSkill>[1]): string[] {
  const path = resolve(target);
  const { dir } = findSkill(target, places);
  if (dir !== undefined) return [dir];
  if (!existsSync(path)) return [];
  return [statSync(path).isDirectory() ? path : dirname(path)];
}

const inColor = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
const COLORS: Paint = { error: inColor(31), warning: inColor(33), done: inColor(32), dim: inColor(2) };

function sayAll(problems: readonly Problem[], fixed: readonly Fixed[] | undefined, pipelines: number): void {
  const how = { cwd: process.cwd(), ...(stderrScreen().color ? { paint: COLORS } : {}) };
  if (fixed && fixed.length > 0) say(fixedText(fixed, how));
  if (problems.length > 0) say(problemsText(problems, how));
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const counts = [
    ...(fixed ? [`${counted(fixed.length, 'edit')} made`] : []),
    counted(errors, 'error'),
    counted(problems.length - errors, 'warning'),
  ];
  say(`${counted(pipelines, 'pipeline')} checked: ${counts.join(', ')}`);
}
