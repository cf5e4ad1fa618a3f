/** One run of one seed, told step by step, in this thread. */
import type { Claim } from '../testing/claims.js';
import { runOf, warm } from './campaign.js';
import type { Compiled } from './compiled.js';
import { onDisk } from './disk/on-disk.js';
import { traceOf } from './found/story.js';

export interface Traced {
  readonly query: string;
  readonly lines: readonly string[];
  readonly violations: readonly { readonly what: string; readonly said: string }[];
}

export function tracedRun(compiled: Compiled, seed: string, claims: readonly Claim[]): Promise<Traced> {
  return onDisk(async (disk) => {
    await warm(compiled, disk);
    const { run, violations } = await runOf(seed, { compiled, claims }, disk);
    const { query } = run;
    return {
      query,
      lines: [`-- query ${JSON.stringify(query)}`, ...traceOf(run)],
      violations: violations.map(({ what, said }) => ({ what, said })),
    };
  });
}
