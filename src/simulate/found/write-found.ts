/** Writes what was found as a test beside the author's own: in words where these do break it again, else as the adversary chose it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from '../../core/context.js';
import type { Recorded } from '../../core/events.js';
import { Fault } from '../../core/faults.js';
import type { Surroundings } from '../../request.js';
import { type Performing, performTest } from '../../testing/perform.js';
import { readTest } from '../../testing/read-test.js';
import { cameTo, type FoundTest } from './found-test.js';

/**
 * @param folder `tests/` of the pipeline; absolute
 * @param simulated performs a test with `simulate`
 * @returns the file; undefined where the test does not break what was broken
 */
export async function writeFound(
  found: FoundTest,
  folder: string,
  around: Surroundings,
  simulated: NonNullable<Performing['simulated']>,
): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, found.name);
  if (found.told !== undefined) {
    writeFileSync(file, found.told);
    if (await isToldWell(file, found, around)) return file;
  }
  writeFileSync(file, found.simulated);
  const { test } = readTest(file);
  if (test && (await simulated(test)).some(isBroken)) return file;
  rmSync(file);
  return undefined;
}

/** Whether a run of the test breaks the claim, by the same failures. */
async function isToldWell(file: string, { cameTo: wanted }: FoundTest, around: Surroundings): Promise<boolean> {
  const { test } = readTest(file);
  if (!test) return false;
  const events: Recorded[] = [];
  const { failures } = await performTest(test, around, {
    forget: true,
    processes: NO_PROCESSES,
    sink: { write: (event) => void events.push(event) },
  });
  if (failures.length === 0 || !failures.every(isBroken)) return false;
  return cameTo(events).join('\n') === wanted.join('\n');
}

function isBroken({ what }: { readonly what: string }): boolean {
  return what === 'always' || what === 'never' || what === 'promise';
}

/** Nothing of a skill is executed by looking for what breaks it. */
const NO_PROCESSES: Processes = {
  async run() {
    throw new Fault('shell.missing', 'a simulation starts no process');
  },
};
