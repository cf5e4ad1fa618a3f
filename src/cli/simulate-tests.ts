/** Where what was found is written as tests, and what became of each. */
import { basename, dirname, join, resolve } from 'node:path';
import { BUNDLED_SKILLS } from '../bundled-skills.js';
import type { Plan } from '../core/plan.js';
import type { Surroundings } from '../request.js';
import { checkPipeline, openProject } from '../run.js';
import type { Found } from '../simulate/found/cut-down.js';
import { replayInThread } from '../simulate/found/replay-thread.js';
import { type WrittenTest, writeFound } from '../simulate/found/write-found.js';
import { notOwn } from '../skills/own.js';
import type { SkillTest } from '../testing/skill-test.js';

/** Why there is no test is words that go on after `no test: `. */
export type Shown = WrittenTest | { readonly why: string };

/** The folder, absolute, or why there is none. */
export type Place = { readonly folder: string } | { readonly why: string };

/** Only what is the project's own is written into. @param target as it was typed */
export async function placeOfTests(plan: Plan, target: string, around: Surroundings): Promise<Place> {
  const dir = dirname(plan.file);
  const why = notOwn(dir, !/[\\/]|\.ya?ml$/.test(target), {
    projectDir: openProject(around).dir,
    bundledDir: BUNDLED_SKILLS,
    skillsDirs: (around.skillsDirs ?? []).map((one) => resolve(around.cwd, one)),
  });
  if (why !== undefined) return { why };
  const { plan: tested } = await checkPipeline(dir, around);
  if (tested?.file !== plan.file)
    return { why: `a test is of the pipeline.yaml in the folder above it, and not of ${basename(plan.file)}` };
  return { folder: join(dir, 'tests') };
}

/** By the keys of what was found. Ends early once the signal is aborted: what is not there then was not written. */
export async function writeTests(
  found: readonly Found[],
  place: Place,
  around: Surroundings,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Shown>> {
  const shown = new Map<string, Shown>();
  const simulated = (test: SkillTest) => replayInThread(test, around, signal);
  for (const one of found) {
    if (signal.aborted) break;
    shown.set(one.key, await written(one, place, around, simulated, signal));
  }
  return shown;
}

async function written(
  { test }: Found,
  place: Place,
  around: Surroundings,
  simulated: Parameters<typeof writeFound>[3],
  signal: AbortSignal,
): Promise<Shown> {
  if ('why' in place) return place;
  if (!test) return { why: 'it did not break again' };
  try {
    const file = await writeFound(test, place.folder, around, simulated);
    return file ?? { why: 'what a test can say of it does not break it again' };
  } catch (error) {
    if (signal.aborted) return { why: 'it was interrupted' };
    return { why: error instanceof Error ? error.message : String(error) };
  }
}
