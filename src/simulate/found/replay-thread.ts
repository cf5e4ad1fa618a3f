/** A simulated test in a thread of this program: node:fs is that of the machine for all the others. */
import type { Failure } from '../../testing/judge.js';
import { readTest } from '../../testing/read-test.js';
import type { SkillTest } from '../../testing/skill-test.js';
import { onDisk } from '../disk/on-disk.js';
import { inThread, type Job, programHere } from '../thread.js';
import { replay } from './replay.js';

/** Plain data. */
interface Replaying {
  /** Of the test; absolute. */
  readonly file: string;
  readonly cwd: string;
  readonly skillsDirs: readonly string[];
}

export const REPLAY: Job<Replaying, never, readonly Failure[]> = {
  name: 'replay',
  work({ file, ...around }) {
    const { test } = readTest(file);
    if (!test) throw new Error(`${file} cannot be read any more`);
    return onDisk((disk) => replay(test, around, disk));
  },
};

/** That it could not be performed is a failure of the test. */
export async function replayInThread(
  { file }: SkillTest,
  around: { readonly cwd: string; readonly skillsDirs?: readonly string[] },
  signal: AbortSignal,
): Promise<readonly Failure[]> {
  const given = { file, cwd: around.cwd, skillsDirs: around.skillsDirs ?? [] };
  try {
    return await inThread(REPLAY, given, { program: programHere(), signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return [
      { what: 'status', expected: 'a run', actual: 'not run' },
      { what: 'because', expected: '', actual: error instanceof Error ? error.message : String(error) },
    ];
  }
}
