/** pipeline skills update: fetches added skills again, shows what changed, asks, replaces them. */
import { join } from 'node:path';
import { FAULTS, Fault, toFault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { problemsText } from '../load/report.js';
import { lookupName } from '../load/skill.js';
import { checkPipeline, openProject } from '../run.js';
import { type Drift, driftOf, driftText, folderOfSkill } from '../skills/drift.js';
import { findSkills } from '../skills/found.js';
import { installSkill } from '../skills/install.js';
import { type LockEntry, readLock } from '../skills/lock.js';
import { beyond, whatItMayDo } from '../skills/may-do.js';
import { openPlace, placeName, sourceOfEntry } from '../skills/place.js';
import { here, printJson, printResult, say } from './output.js';
import { stopOnSignals } from './signals.js';
import { agrees, mayDoText } from './skills-consent.js';
import { lockedSkill } from './skills-locked.js';
import { type Judged, openStage } from './skills-stage.js';

export interface UpdateOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

type Became = 'updated' | 'unchanged' | 'kept' | 'failed';

export async function skillsUpdateCommand(wanted: string | undefined, options: UpdateOptions): Promise<void> {
  const project = openProject({ cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir });
  const { skills } = readLock(project.dir);
  const names = wanted === undefined ? [...skills.keys()] : [lockedSkill(wanted, project.dir).name];
  const { signal, release } = stopOnSignals();
  const rows: { readonly name: string; readonly became: Became }[] = [];
  try {
    for (const name of names) {
      const entry = skills.get(name);
      if (!entry) continue;
      try {
        rows.push({ name, became: await update(name, entry, project.dir, options, signal) });
      } catch (error) {
        if (wanted !== undefined || signal.aborted) throw error;
        const fault = toFault(error);
        say(`✗ ${plainText(name)}: ${plainText(fault.message)}`);
        process.exitCode = FAULTS[fault.code].exit;
        rows.push({ name, became: 'failed' });
      }
    }
  } finally {
    release();
  }
  if (options.json) return printJson({ skills: rows });
  if (rows.length === 0) say('No skill was added to this project: skills-lock.json has none.');
  else printResult(rows.map(({ name, became }) => `${plainText(name)}  ${became}`).join('\n'));
}

async function update(
  name: string,
  entry: LockEntry,
  projectDir: string,
  options: UpdateOptions,
  signal: AbortSignal,
): Promise<Became> {
  const source = sourceOfEntry(entry, projectDir);
  if (!source) throw new Fault('input.invalid', `A source of the kind "${entry.sourceType}" is not fetched from.`);
  const stage = openStage(options.skillsDir);
  try {
    const tree = await openPlace(source, { env: process.env, signal });
    try {
      const { skills } = findSkills(tree, placeName(source));
      const found = skills.find((one) => one.skillPath === entry.skillPath) ?? sameNamed(skills, name);
      if (!found) throw new Fault('input.unknown', `${source.source} has no skill "${name}" any more.`);
      const [judged] = await stage.judge([{ ...found, name }], tree, source);
      return judged ? await replace(judged, entry, stage.dir, projectDir, options, signal) : 'unchanged';
    } finally {
      tree.close();
    }
  } finally {
    stage.close();
  }
}

function sameNamed<T extends { readonly name: string }>(skills: readonly T[], name: string): T | undefined {
  return skills.find((one) => lookupName(one.name) === lookupName(name));
}

async function replace(
  judged: Judged,
  entry: LockEntry,
  stageDir: string,
  projectDir: string,
  options: UpdateOptions,
  signal: AbortSignal,
): Promise<Became> {
  const { name, plan, problems } = judged;
  const dir = folderOfSkill(name, projectDir);
  const drift = dir && driftOf(dir, entry);
  const change = dir ? driftOf(dir, judged.entry) : undefined;
  if (dir && !change && entry.files) return 'unchanged';
  if (problems.length > 0) say(problemsText(problems, { cwd: stageDir }));
  if (!plan) throw new Fault('config.invalid', `The new "${name}" cannot be run: the old one stays.`);
  say(`${plainText(name)}  from ${plainText(entry.source)}${commits(entry, judged.entry)}`);
  if (!dir) say('  its folder is gone: it is fetched again');
  if (change) say(`  ${plainText(driftText(turned(change)))}`);
  if (drift) say(`! Its files were changed here since it was added; that is lost: ${plainText(driftText(drift))}.`);
  else if (entry.edited) say('! It was changed here, and that was trusted; the update puts the source in its place.');
  const isAgreedTo = judged.entry.computedHash === entry.computedHash;
  const before = isAgreedTo ? undefined : await maysNow(dir, drift !== undefined, projectDir, options);
  const more = before ? beyond(before, whatItMayDo(plan, projectDir)) : [];
  say(
    more.length === 0
      ? '  may do nothing more than was agreed to'
      : `  may do more than was agreed to:\n${mayDoText(more)}`,
  );
  if (more.length > 0 && options.yes) {
    throw new Fault('config.unsafe', `The new "${name}" may do more than was agreed to, which --yes does not answer.`, {
      hint: 'Answer at a terminal, or remove it and add it again.',
    });
  }
  const agreed = await agrees(`Replace ${plainText(name)}?`, options.yes === true, 'nothing was replaced', signal);
  if (!agreed) return 'kept';
  const target = dir ?? join(projectDir, 'skills', name);
  installSkill(judged, target, projectDir);
  if (!options.json) say(`  ${here(target)} replaced`);
  return 'updated';
}

/** Seen from what is there now, the new is what changed. */
function turned({ changed, added, missing }: Drift): Drift {
  return { changed, added: missing, missing: added };
}

function commits(before: LockEntry, after: LockEntry): string {
  if (after.commit === undefined) return '';
  return `, ${before.commit?.slice(0, 12) ?? 'not known'} → ${after.commit.slice(0, 12)}`;
}

/** What nobody agreed to is no measure. */
async function maysNow(dir: string | undefined, hasDrifted: boolean, projectDir: string, { skillsDir }: UpdateOptions) {
  if (dir === undefined || hasDrifted) return [];
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: skillsDir };
  const { plan, problems } = await checkPipeline(dir, around);
  return plan && !hasErrors(problems) ? whatItMayDo(plan, projectDir) : [];
}
