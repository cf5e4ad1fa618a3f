/** Writes what was found as a test beside the author's own: in words where these do break it again, else as the adversary chose it. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from '../../core/context.js';
import type { Recorded } from '../../core/events.js';
import { Fault } from '../../core/faults.js';
import type { Surroundings } from '../../request.js';
import type { Failure } from '../../testing/judge.js';
import { type Performing, performTest } from '../../testing/perform.js';
import { readTest } from '../../testing/read-test.js';
import type { SkillTest } from '../../testing/skill-test.js';
import { cameTo, type FoundTest } from './found-test.js';

type Simulated = NonNullable<Performing['simulated']>;

export interface WrittenTest {
  /** Absolute. */
  readonly file: string;
  /** What was there and still fails is kept as it is; what was there and passes is replaced. */
  readonly became: 'written' | 'kept' | 'replaced';
}

/**
 * @param folder `tests/` of the pipeline; absolute
 * @param simulated performs a test with `simulate`
 * @returns undefined where the test does not break what was broken; then what was there stays, too
 */
export async function writeFound(
  found: FoundTest,
  folder: string,
  around: Surroundings,
  simulated: Simulated,
): Promise<WrittenTest | undefined> {
  const file = join(folder, found.name);
  // It is no test by its name until it is one.
  const draft = `${file}.draft`;
  refuseInTheWay(folder, 'isDirectory', 'a folder');
  refuseInTheWay(file, 'isFile', 'a regular file');
  const isThere = existsSync(file);
  mkdirSync(folder, { recursive: true });
  try {
    write(draft, found.simulated);
    if (isThere && (await stillFails(file, draft, around, simulated))) return { file, became: 'kept' };
    if (!(await isWritten(draft, found, around, simulated))) return undefined;
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return { file, became: isThere ? 'replaced' : 'written' };
}

async function isWritten(draft: string, found: FoundTest, around: Surroundings, simulated: Simulated) {
  if (found.told !== undefined) {
    write(draft, found.told);
    if (await isToldWell(draft, found, around)) return true;
    write(draft, found.simulated);
  }
  const { test } = readTest(draft);
  return test !== undefined && (await simulated(test)).some(isBroken);
}

/** The name is known before: a link of a stranger's would lead to any file of this person, and a pipe would never open. */
function refuseInTheWay(path: string, is: 'isDirectory' | 'isFile', what: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats[is]()) throw new Fault('step.path', `${path} is not ${what}: nothing is written there`);
}

function write(draft: string, text: string): void {
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { flag: 'wx' });
}

/** Whether a test that an author has, and may have edited, shows the same claim broken. */
async function stillFails(file: string, draft: string, around: Surroundings, simulated: Simulated) {
  const [{ test }, { test: other }] = [readTest(file), readTest(draft)];
  if (!test || !other || claimsOf(test) !== claimsOf(other)) return false;
  return (await performed(test, around, { simulated })).some(isBroken);
}

function claimsOf({ expect }: SkillTest): string {
  return expect.claims.map(({ holds, text }) => `${holds} ${text}`).join('\n');
}

/** Whether a run of the test breaks the claim, by the same failures. */
async function isToldWell(file: string, { cameTo: wanted }: FoundTest, around: Surroundings): Promise<boolean> {
  const { test } = readTest(file);
  if (!test) return false;
  const events: Recorded[] = [];
  const failures = await performed(test, around, { sink: { write: (event) => void events.push(event) } });
  if (failures.length === 0 || !failures.every(isBroken)) return false;
  return cameTo(events).join('\n') === wanted.join('\n');
}

async function performed(test: SkillTest, around: Surroundings, how: Performing): Promise<readonly Failure[]> {
  const { failures } = await performTest(test, around, { forget: true, processes: NO_PROCESSES, ...how });
  return failures;
}

function isBroken({ what }: Failure): boolean {
  return what === 'always' || what === 'never' || what === 'promise';
}

/** Nothing of a skill is executed by looking for what breaks it. */
const NO_PROCESSES: Processes = {
  async run() {
    throw new Fault('shell.missing', 'a simulation starts no process');
  },
};
