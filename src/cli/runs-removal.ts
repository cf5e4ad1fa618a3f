/** Removes runs once a person has agreed: what goes, the question, what became of it. */
import { cutTo } from '../core/columns.js';
import { FAULTS, type FaultData, toFault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { counted } from '../core/words.js';
import { type FolderSize, removeLeftovers, removeRun, sizeOf } from '../engine/remove-run.js';
import { activityOf } from '../engine/run-file.js';
import { nameOfRun } from '../engine/ways-on.js';
import { endLeft } from '../stop.js';
import { ageText, processesText, sizeText } from './amounts.js';
import { printJson, printResult, say } from './output.js';
import type { ListedRun } from './runs.js';
import { stopOnSignals } from './signals.js';
import { agrees } from './skills-consent.js';
import { table } from './table.js';

export interface RemovalOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** A run that goes. */
interface Going extends ListedRun, FolderSize {
  /** By its folder, which is what goes. */
  readonly name: string;
  /** Runs that began with what it had finished, and stay. */
  readonly forks: readonly string[];
}

interface Gone {
  readonly removed: boolean;
  readonly fault?: FaultData;
}

/** @param all runs there are, of which some go */
export async function removeOnceAgreed(
  chosen: readonly ListedRun[],
  all: readonly ListedRun[],
  root: string,
  { yes, dryRun, json }: RemovalOptions,
): Promise<void> {
  const going = chosen.map((one) => ({
    ...one,
    ...sizeOf(one.dir),
    name: nameOfRun(one.dir),
    forks: forksOf(one, chosen, all),
  }));
  const tell = (gone: readonly Gone[]) => {
    if (json) printJson({ dryRun: dryRun === true, runs: going.map((one, at) => jsonOf(one, gone[at])) });
  };
  if (dryRun) {
    if (!json && going.length > 0) printResult(listText(going));
    say(going.length === 0 ? NOTHING : `${totalText(going)} would go.`);
    return tell([]);
  }
  if (going.length === 0) {
    await finishEarlier(root);
    say(NOTHING);
    return tell([]);
  }
  say(listText(going));
  const { signal, release } = stopOnSignals();
  try {
    if (!(await agrees(`Remove ${totalText(going)}?`, yes === true, 'nothing was removed', signal))) {
      process.exitCode = 1;
      say('Nothing was removed.');
      return tell([]);
    }
    tell(await removeAll(going, root, signal));
  } finally {
    release();
  }
}

const NOTHING = 'There is nothing to remove.';

/** One that cannot go keeps no other from going; a signal keeps those that have not yet gone. */
async function removeAll(going: readonly Going[], root: string, signal: AbortSignal): Promise<Gone[]> {
  await finishEarlier(root);
  const gone: Gone[] = [];
  for (const { name, dir } of going) {
    if (signal.aborted) break;
    try {
      const ended = await endLeft(dir);
      if (ended > 0) say(`  ended ${processesText(ended)} that ${plainText(name)} had left`);
      await removeRun(dir);
      gone.push({ removed: true });
    } catch (error) {
      const fault = toFault(error);
      gone.push({ removed: false, fault });
      process.exitCode ||= FAULTS[fault.code].exit;
      say(`✗ ${plainText(name)}: ${plainText(fault.message)}${fault.hint ? `\n  try  ${plainText(fault.hint)}` : ''}`);
    }
  }
  const removed = going.filter((_, at) => gone[at]?.removed);
  say(removed.length === 0 ? 'Nothing was removed.' : `✓ Removed ${totalText(removed)}.`);
  signal.throwIfAborted();
  return gone;
}

/** What a person agreed to before a removal was cut off. */
async function finishEarlier(root: string): Promise<void> {
  const left = await removeLeftovers(root);
  if (left.removed > 0) say(`Removed what was left of ${counted(left.removed, 'run')} whose removal was cut off.`);
  for (const problem of left.problems)
    say(`! Of a removal that was cut off, not all can be removed: ${plainText(problem)}`);
}

/** A fork has copies of all that it needs of its origin: it is said, and keeps nothing from going. */
function forksOf({ run: { run } }: ListedRun, chosen: readonly ListedRun[], all: readonly ListedRun[]): string[] {
  return all
    .filter((one) => one.run.fork?.run === run && !chosen.some(({ dir }) => dir === one.dir))
    .map(({ dir }) => nameOfRun(dir));
}

function listText(going: readonly Going[]): string {
  const nowMs = Date.now();
  const rows = going.map(({ name, status, run, bytes, files }) => [
    plainText(name),
    status,
    ageText(nowMs - Date.parse(activityOf(run))),
    sizeText(bytes),
    counted(files, 'file'),
    cutTo(plainText(run.query), 50),
  ]);
  const forks = going
    .filter((one) => one.forks.length > 0)
    .map(
      ({ name, forks }) =>
        `  forked from ${plainText(name)}: ${forks.map(plainText).join(', ')}; what they need of it they have as copies`,
    );
  return [table(rows), ...forks].join('\n');
}

/** `2 runs, 3.4 MB`. */
function totalText(going: readonly Going[]): string {
  return `${counted(going.length, 'run')}, ${sizeText(going.reduce((sum, { bytes }) => sum + bytes, 0))}`;
}

function jsonOf({ name, dir, run, status, bytes, files, forks }: Going, gone: Gone | undefined): unknown {
  const became = { removed: gone?.removed ?? false, ...(gone?.fault ? { fault: gone.fault } : {}) };
  return { name, dir, status, activity: activityOf(run), bytes, files, forks, ...became };
}
