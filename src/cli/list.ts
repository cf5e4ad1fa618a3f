/** pipeline list: the skills that can be run, where they come from, what was skipped. */

import { cutTo } from '../core/columns.js';
import { toFault } from '../core/faults.js';
import { oneLine, plainText } from '../core/plain-text.js';
import { problemsText } from '../load/report.js';
import { discoverSkills } from '../load/skills.js';
import { openProject } from '../run.js';
import { driftedSkills } from '../skills/drift.js';
import { here, printJson, printResult, resultColumns, say } from './output.js';
import { table } from './table.js';

export async function listCommand(options: {
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}): Promise<void> {
  const project = openProject({ cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir });
  const { skills, shadowed, problems } = discoverSkills(project.places);
  if (options.json) {
    const rows = skills.map(({ name, description, dir, runsAs }) => ({
      name,
      description: description ?? null,
      dir,
      runsAs,
    }));
    return printJson({ skills: rows, shadowed, problems });
  }
  if (skills.length === 0)
    say('No skills were found. A skill is a folder with a SKILL.md in skills/, .agents/skills/ or .claude/skills/.');
  else
    printResult(
      table(
        skills.map((skill) => [
          plainText(skill.name),
          skill.runsAs,
          plainText(here(skill.dir)),
          cutTo(oneLine(skill.description ?? ''), 80),
        ]),
        resultColumns(),
      ),
    );
  for (const one of shadowed) say(plainText(`! ${one.name} in ${here(one.dir)} is hidden by ${here(one.by)}`));
  sayDrifted(
    skills.map(({ dir }) => dir),
    project.dir,
  );
  if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
}

/** They are listed, but not run. */
function sayDrifted(dirs: readonly string[], projectDir: string): void {
  try {
    for (const { name } of driftedSkills(dirs, projectDir)) {
      say(`! ${plainText(name)} is not what was added, and is not run: pipeline skills check says why.`);
    }
  } catch (error) {
    const { message, hint } = toFault(error);
    say(plainText(`! ${message}`) + (hint ? `\n  try  ${plainText(hint)}` : ''));
  }
}
