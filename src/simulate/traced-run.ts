/** One simulated run told step by step, in this thread: that of a seed, or that of a found test. */
import type { Json } from '../core/json.js';
import type { Claim } from '../testing/claims.js';
import type { SkillTest } from '../testing/skill-test.js';
import { runOf, warm } from './campaign.js';
import { countOf, givenChoices, type Taken } from './choices/choices.js';
import type { Compiled } from './compiled.js';
import { onDisk } from './disk/on-disk.js';
import { traceOf } from './found/trace.js';
import { type Judged, judgedRun } from './promises/judged.js';

export interface Traced {
  readonly query: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** How many odd choices the adversary made. */
  readonly choices: number;
  readonly lines: readonly string[];
  readonly violations: readonly {
    readonly type: 'promise' | 'claim';
    readonly what: string;
    readonly said: string;
  }[];
}

/** As the run was made: before anything was cut down. */
export function tracedRun(compiled: Compiled, seed: string, claims: readonly Claim[]): Promise<Traced> {
  return onDisk(async (disk) => {
    await warm(compiled, disk);
    const judged = await runOf(seed, { compiled, claims }, disk);
    return traced(judged, judged.choices.taken(), compiled);
  });
}

/** @param test one with `simulate` */
export function tracedTest(compiled: Compiled, { file, model, expect }: SkillTest): Promise<Traced> {
  if (model.type !== 'simulated') throw new Error(`${file} has no "simulate"`);
  const taken: Taken = new Map(model.choices.map(({ place, numbers }) => [place, numbers]));
  return onDisk(async (disk) => {
    await warm(compiled, disk);
    return traced(await judgedRun(compiled, () => givenChoices(taken), disk, expect.claims), taken, compiled);
  });
}

function traced({ run, violations }: Judged, taken: Taken, { inputs }: Compiled): Traced {
  const { query } = run;
  const isGiven = Object.keys(inputs.values).length > 0;
  return {
    query,
    inputs: inputs.values,
    choices: countOf(taken),
    lines: [
      `-- query ${JSON.stringify(query)}`,
      ...(isGiven ? [`-- inputs ${JSON.stringify(inputs.values)}`] : []),
      ...traceOf(run),
    ],
    violations: violations.map(({ type, what, said }) => ({ type, what, said })),
  };
}
