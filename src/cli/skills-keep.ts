/** pipeline skills trust, remove: agrees to a changed skill as it is now, or takes one away. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { problemsText } from '../load/report.js';
import { PROJECT_SKILLS } from '../load/skill-names.js';
import { checkPipeline, openProject } from '../run.js';
import { driftOf, driftText, folderOfSkill } from '../skills/drift.js';
import { hashFolder } from '../skills/hash.js';
import { removeSkill, trustSkill } from '../skills/install.js';
import { whatItMayDo } from '../skills/may-do.js';
import { here, printJson, printResult, say } from './output.js';
import { stopOnSignals } from './signals.js';
import { agrees, mayDoText } from './skills-consent.js';
import { lockedSkill } from './skills-locked.js';

export interface KeepOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

/** The command is the consent: it says what was agreed to, and asks nothing. */
export async function skillsTrustCommand(wanted: string, options: KeepOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const project = openProject(around);
  const { name, entry } = lockedSkill(wanted, project.dir);
  const dir = folderOfSkill(name, project.dir);
  if (!dir)
    throw new Fault('input.unknown', `The folder of "${name}" is gone.`, { hint: `pipeline skills update ${name}` });
  const drift = driftOf(dir, entry);
  const { strange } = hashFolder(dir);
  if (strange.length > 0) {
    throw new Fault('config.unsafe', `"${name}" holds links or special files: ${strange.slice(0, 12).join(', ')}.`, {
      hint: 'Remove them, or put files in their place.',
    });
  }
  if (!drift && entry.files) {
    if (options.json) return printJson({ name, trusted: false, drift: null });
    return say(`${plainText(name)} is what was added: there is nothing to trust.`);
  }
  const { plan, problems } = await checkPipeline(dir, around);
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  if (drift) say(`${plainText(name)}  ${plainText(driftText(drift))}`);
  if (plan && !hasErrors(problems)) say(mayDoText(whatItMayDo(plan, project.dir)));
  const { computedHash } = trustSkill(name, entry, dir, project.dir);
  if (options.json) return printJson({ name, trusted: true, computedHash, drift: drift ?? null });
  printResult(here(dir));
  say(`${plainText(name)} is trusted as it is now.`);
}

export async function skillsRemoveCommand(wanted: string, options: KeepOptions): Promise<void> {
  const { dir: projectDir } = openProject({ cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir });
  const { name, entry } = lockedSkill(wanted, projectDir);
  const dirs = PROJECT_SKILLS.map((part) => join(projectDir, part, name)).filter((dir) => existsSync(dir));
  const [first] = dirs;
  const drift = first && driftOf(first, entry);
  if (drift || entry.edited) {
    say(`! ${plainText(name)} was changed here, and that is lost${drift ? `: ${plainText(driftText(drift))}` : ''}.`);
    const { signal, release } = stopOnSignals();
    try {
      if (!(await agrees(`Remove ${plainText(name)}?`, options.yes === true, 'nothing was removed', signal))) {
        process.exitCode = 1;
        if (options.json) printJson({ name, removed: [] });
        return say('Nothing was removed.');
      }
    } finally {
      release();
    }
  }
  removeSkill(name, dirs, projectDir);
  if (options.json) return printJson({ name, removed: dirs });
  say(
    `${plainText(name)} is removed${dirs.length > 0 ? `: ${dirs.map(here).join(', ')}` : '; its folder was gone already'}.`,
  );
}
