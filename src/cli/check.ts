/** pipeline check: every mistake of every file, at once. */
import { hasErrors, type Problem } from '../core/problems.js';
import { counted } from '../core/words.js';
import { problemsText } from '../load/report.js';
import { discoverSkills } from '../load/skills.js';
import { checkPipeline, openProject } from '../run.js';
import { printJson, say } from './output.js';

interface CheckOptions {
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function checkCommand(targets: readonly string[], options: CheckOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const strict = options.strict === true;
  const problems: Problem[] = [];
  let names = targets;
  if (targets.length === 0) {
    const found = discoverSkills(openProject(around).places, strict);
    problems.push(...found.problems);
    names = found.skills.filter((skill) => skill.runsAs !== 'next-loop').map((skill) => skill.dir);
  }
  for (const name of names) problems.push(...(await checkPipeline(name, around, { strict })).problems);
  const unique = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
  const errors = unique.filter((problem) => problem.severity === 'error').length;
  process.exitCode = hasErrors(unique) ? 2 : 0;
  if (options.json) return printJson({ problems: unique });
  if (unique.length > 0) say(problemsText(unique, { cwd: process.cwd() }));
  const found = `${counted(errors, 'error')}, ${counted(unique.length - errors, 'warning')}`;
  say(`${counted(names.length, 'pipeline')} checked: ${found}`);
}
