/** pipeline skills add: fetches skills, shows what they may do, asks, copies them into the project. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { counted } from '../core/words.js';
import { problemsText } from '../load/report.js';
import { lookupName } from '../load/skill.js';
import type { SkillPlaces } from '../load/skill-names.js';
import { findSkill } from '../load/skills.js';
import { openProject } from '../run.js';
import { type FoundSkill, findSkills } from '../skills/found.js';
import { installSkill } from '../skills/install.js';
import { readLock } from '../skills/lock.js';
import { whatItMayDo } from '../skills/may-do.js';
import { openPlace, placeName } from '../skills/place.js';
import { readSource, type Source } from '../skills/source.js';
import type { SourceTree } from '../skills/tree.js';
import { here, printJson, printResult, say } from './output.js';
import { stopOnSignals } from './signals.js';
import { agrees, filesText, mayDoText, planHead, sayLeftOut } from './skills-consent.js';
import { type Judged, openStage } from './skills-stage.js';

export interface AddOptions {
  readonly skill: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function skillsAddCommand(from: string, options: AddOptions): Promise<void> {
  const project = openProject({ cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir });
  readLock(project.dir);
  const source = readSource(from, process.cwd(), project.dir);
  const { signal, release } = stopOnSignals();
  const stage = openStage(options.skillsDir);
  try {
    const tree = await openPlace(source, { env: process.env, signal });
    try {
      const free = freeOnes(chosen(tree, source, options.skill), project.dir);
      const judged = await stage.judge(free, tree, source);
      const usable = judged.filter((one) => one.plan !== undefined);
      for (const one of judged) sayJudged(one, tree, source, stage.dir, project.places);
      if (usable.length === 0)
        throw new Fault('config.invalid', 'None of these skills can be run: nothing was copied.');
      const question = `Copy ${usable.length === 1 ? 'it' : `these ${usable.length}`} to ${here(join(project.dir, 'skills'))}/?`;
      if (!(await agrees(question, options.yes === true, 'nothing was copied', signal))) {
        say('Nothing was copied.');
        process.exitCode = 1;
        return;
      }
      signal.throwIfAborted();
      for (const one of usable) installSkill(one, join(project.dir, 'skills', one.name), project.dir);
      tell(usable, project.dir, options);
    } finally {
      tree.close();
    }
  } finally {
    stage.close();
    release();
  }
}

function chosen(tree: SourceTree, source: Source, wanted: readonly string[]): readonly FoundSkill[] {
  const { skills, leftOut } = findSkills(tree, placeName(source));
  sayLeftOut(leftOut);
  const names = skills.map(({ name }) => plainText(name)).join(', ');
  if (skills.length === 0) throw new Fault('input.unknown', 'There is no skill in it: no SKILL.md, no pipeline.yaml.');
  const missing = wanted.find((name) => !skills.some((skill) => lookupName(skill.name) === lookupName(name)));
  if (missing !== undefined) {
    throw new Fault('input.unknown', `There is no skill ${JSON.stringify(missing)} in it.`, {
      hint: `It has: ${names}.`,
    });
  }
  if (skills.length > 1 && wanted.length === 0) say(`It has ${counted(skills.length, 'skill')}: ${names}.`);
  return wanted.length === 0
    ? skills
    : skills.filter((skill) => wanted.some((name) => lookupName(skill.name) === lookupName(name)));
}

/** Nothing is overwritten. */
function freeOnes(found: readonly FoundSkill[], projectDir: string): FoundSkill[] {
  const root = join(projectDir, 'skills');
  const folders = existsSync(root) ? readdirSync(root) : [];
  const takenBy = (name: string) => folders.find((folder) => lookupName(folder) === lookupName(name));
  const free = found.filter(({ name }) => takenBy(name) === undefined);
  for (const { name } of found) {
    const taken = takenBy(name);
    if (taken !== undefined) say(`! ${plainText(name)} is left out: ${here(join(root, taken))} is there already.`);
  }
  if (free.length > 0) return free;
  throw new Fault('input.invalid', 'These skills are there already, and nothing is overwritten.', {
    hint: 'pipeline skills update fetches those again that were added.',
  });
}

function sayJudged(judged: Judged, tree: SourceTree, source: Source, stageDir: string, places: SkillPlaces): void {
  const { name, plan, found, problems } = judged;
  const commit = tree.commit === undefined ? '' : ` at ${tree.commit.slice(0, 12)}`;
  const from = `from ${source.source}${commit}${found.folder === '' ? '' : `, ${found.folder}`}`;
  say('');
  if (problems.length > 0) say(problemsText(problems, { cwd: stageDir }));
  if (!plan) {
    say(`! ${plainText(name)} is left out: what it does cannot be told.`);
    return;
  }
  say(planHead(plan, from));
  say(filesText(found.files, found.folder));
  say(mayDoText(whatItMayDo(plan, places.projectDir)));
  const inside = found.folder === '' ? '' : `${found.folder}/`;
  sayLeftOut(tree.leftOut.filter((one) => one.path.startsWith(inside)));
  const other = findSkill(name, places).dir;
  if (other !== undefined) say(`! It takes the place of ${plainText(here(other))}, which has the same name.`);
}

function tell(added: readonly Judged[], projectDir: string, { json }: AddOptions): void {
  const rows = added.map(({ name, entry, plan }) => {
    const { source, commit = null, computedHash } = entry;
    const dir = join(projectDir, 'skills', name);
    return { name, dir, source, commit, computedHash, mayDo: plan ? whatItMayDo(plan, projectDir) : [] };
  });
  if (json) {
    printJson({ added: rows });
    return;
  }
  printResult(rows.map(({ dir }) => here(dir)).join('\n'));
  say(`${counted(rows.length, 'skill')} added; skills-lock.json holds what was agreed to: keep it in git.`);
}
