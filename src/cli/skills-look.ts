/** pipeline skills list, show, check: which skills were added, from where, whether they are still what they were. */
import { cutTo } from '../core/columns.js';
import { FAULTS } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { counted } from '../core/words.js';
import { problemsText } from '../load/report.js';
import { checkPipeline, openProject } from '../run.js';
import { type Drift, driftOf, driftText, folderOfSkill } from '../skills/drift.js';
import { type LockEntry, readLock } from '../skills/lock.js';
import { whatItMayDo } from '../skills/may-do.js';
import { here, printJson, printResult, say } from './output.js';
import { mayDoText, planHead } from './skills-consent.js';
import { lockedSkill } from './skills-locked.js';
import { table } from './table.js';

export interface LookOptions {
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

interface State {
  readonly name: string;
  readonly entry: LockEntry;
  readonly dir: string | undefined;
  readonly drift: Drift | undefined;
}

export async function skillsListCommand({ json }: LookOptions): Promise<void> {
  const all = statesHere();
  if (json) return printJson({ skills: all.map(stateJson) });
  if (all.length === 0) return say('No skill was added to this project. pipeline list shows those that can be run.');
  printResult(
    table(
      all.map((state) => [
        plainText(state.name),
        stateWord(state),
        cutTo(plainText(state.entry.source), 60),
        state.entry.commit?.slice(0, 12) ?? '',
      ]),
    ),
  );
}

/** Exits with 4 if one is not what was agreed to. */
export async function skillsCheckCommand({ json }: LookOptions): Promise<void> {
  const all = statesHere();
  const wrong = all.filter(({ drift, dir }) => drift !== undefined || dir === undefined);
  if (wrong.length > 0) process.exitCode = FAULTS['config.unsafe'].exit;
  if (json) return printJson({ skills: all.map(stateJson) });
  for (const { name, drift, dir } of wrong) {
    const why = drift ? driftText(drift) : 'its folder is gone';
    say(`✗ The skill "${plainText(name)}" is not what was added: ${plainText(why)}.`);
    say(
      dir
        ? `  try  pipeline skills trust ${plainText(name)}, if it is right; pipeline skills update ${plainText(name)} otherwise`
        : `  try  pipeline skills update ${plainText(name)}`,
    );
  }
  say(`${counted(all.length, 'skill')} checked: ${all.length - wrong.length} as agreed, ${wrong.length} not`);
}

export async function skillsShowCommand(wanted: string, options: LookOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const project = openProject(around);
  const { name, entry } = lockedSkill(wanted, project.dir);
  const state = stateOf(name, entry, project.dir);
  const { plan, problems } = state.dir ? await checkPipeline(state.dir, around) : { problems: [] };
  const mayDo = plan && !hasErrors(problems) ? whatItMayDo(plan, project.dir) : undefined;
  if (options.json) return printJson({ ...(stateJson(state) as object), mayDo: mayDo ?? null });
  if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
  const lines = [
    plan ? planHead(plan, `from ${entry.source}`) : plainText(`${name}  from ${entry.source}`),
    `  ${'state'.padEnd(12)} ${stateWord(state)}${state.drift ? `: ${plainText(driftText(state.drift))}` : ''}`,
    ...(entry.commit ? [`  ${'commit'.padEnd(12)} ${plainText(entry.commit)}`] : []),
    `  ${'hash'.padEnd(12)} ${plainText(entry.computedHash)}`,
    ...(entry.files ? [`  ${'files'.padEnd(12)} ${Object.keys(entry.files).length}`] : []),
    ...(mayDo ? [mayDoText(mayDo)] : []),
  ];
  printResult(lines.join('\n'));
}

function statesHere(): State[] {
  const { dir } = openProject({ cwd: process.cwd(), env: process.env });
  return [...readLock(dir).skills].map(([name, entry]) => stateOf(name, entry, dir));
}

function stateOf(name: string, entry: LockEntry, projectDir: string): State {
  const dir = folderOfSkill(name, projectDir);
  return { name, entry, dir, drift: dir && driftOf(dir, entry) } as State;
}

function stateWord({ dir, drift, entry }: State): string {
  if (!dir) return 'gone';
  if (drift) return 'changed';
  return entry.edited ? 'trusted' : 'as added';
}

function stateJson(state: State): unknown {
  const { name, entry, dir, drift } = state;
  const { files, ...rest } = entry;
  return { name, state: stateWord(state), dir: dir ? here(dir) : null, ...rest, drift: drift ?? null };
}
