/** One run of one seed, told step by step, in this thread. */
import { watchNothing } from '../core/bounded.js';
import type { Claim } from '../testing/claims.js';
import { runOf, warm } from './campaign.js';
import type { Compiled } from './compiled.js';
import { createDisk } from './disk.js';
import { mountDisk } from './mount.js';
import { traceOf } from './story.js';
import { DISK_ROOT } from './workers.js';

export interface Traced {
  readonly lines: readonly string[];
  readonly violations: readonly { readonly what: string; readonly said: string }[];
}

export async function tracedRun(compiled: Compiled, seed: string, claims: readonly Claim[]): Promise<Traced> {
  const disk = createDisk(DISK_ROOT);
  const unmount = mountDisk(disk);
  const ignore = () => undefined;
  process.on('unhandledRejection', ignore);
  watchNothing();
  try {
    await warm(compiled, disk);
    const { run, violations } = await runOf(seed, { compiled, claims }, disk);
    return { lines: traceOf(run), violations: violations.map(({ what, said }) => ({ what, said })) };
  } finally {
    process.off('unhandledRejection', ignore);
    unmount();
  }
}
