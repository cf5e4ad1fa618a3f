/** A campaign on several threads of this program: each simulates a part of the runs on a disk of its own, then cuts down a part of what was found. */
import { setFlagsFromString } from 'node:v8';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import { type Outcome, search, warm } from './campaign.js';
import { compile } from './compiled.js';
import type { Disk } from './disk/disk.js';
import { onDisk } from './disk/on-disk.js';
import { type Cutting, cutDown, type Found } from './found/cut-down.js';
import { merge } from './promises/coverage.js';
import { readSimulation } from './sim-file.js';
import { type Around, inThread, type Job } from './thread.js';

/** Plain data. */
export interface Part {
  readonly target: string;
  readonly cwd: string;
  readonly skillsDirs: readonly string[];
  /** As `compile` takes them. */
  readonly query: readonly string[];
  readonly inputs: Readonly<Record<string, Json>>;
  /** Where its claims stand; absolute. */
  readonly file: string | undefined;
  readonly seed: string;
  readonly runs: number;
  readonly timeMs: number;
}

/** How far it is. */
export interface Progress {
  readonly runs: number;
  /** Different things that were broken. */
  readonly found: number;
  readonly isCutting: boolean;
}

interface Told {
  readonly runs: number;
  readonly keys: readonly string[];
}

interface Searching extends Part {
  readonly first: number;
  readonly step: number;
  /** Not 0: it ends after its next run. */
  readonly stop: SharedArrayBuffer;
}

interface Shortening extends Part {
  readonly found: readonly Found[];
}

const TOLD_EVERY_MS = 200;
const YOUNG_MB = 128;
/** For cutting down all that a thread is given. */
const CUTTING_MS = 60_000;

const SEARCH: Job<Searching, Told, Outcome> = {
  name: 'search',
  work({ first, step, stop, ...part }, tell) {
    const flag = new Int32Array(stop);
    let toldAt = 0;
    const { seed, runs, timeMs } = part;
    const bounds = { seed, runs, first, step, timeMs, isStopped: () => Atomics.load(flag, 0) !== 0 };
    return withPart(part, (cutting, disk) =>
      search({ ...cutting, ...bounds, now: () => performance.now() }, disk, (made, keys) => {
        const now = performance.now();
        if (now - toldAt < TOLD_EVERY_MS) return;
        toldAt = now;
        tell({ runs: made, keys: [...keys] });
      }),
    );
  },
};

const CUT: Job<Shortening, never, Found[]> = {
  name: 'cut',
  work({ found, ...part }) {
    return withPart(part, async (cutting, disk) => {
      await warm(cutting.compiled, disk);
      const endsAt = performance.now() + CUTTING_MS;
      const cut: Found[] = [];
      for (const one of found)
        cut.push(await cutDown(one, { ...cutting, isLate: () => performance.now() > endsAt }, disk));
      return cut;
    });
  },
};

/** What a thread of a campaign may be asked for. */
export const CAMPAIGN_JOBS: readonly Job<never, unknown, unknown>[] = [SEARCH, CUT];

async function withPart<T>(part: Part, work: (cutting: Cutting, disk: Disk) => Promise<T>): Promise<T> {
  const got = await compile(part);
  const read = part.file === undefined ? undefined : readSimulation(part.file);
  if (!('compiled' in got) || (read && !read.simulation)) {
    throw new Fault('input.invalid', 'the files were changed while they were simulated', { hint: 'Begin again.' });
  }
  const { stackTraceLimit } = Error;
  // Most faults of a simulation are meant: a trace of each would cost more than the rest of a step.
  Error.stackTraceLimit = 0;
  try {
    const cutting = { compiled: got.compiled, claims: read?.simulation?.claims ?? [] };
    return await onDisk((disk) => work(cutting, disk));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * The same for the same runs, on however many threads. Once the signal is aborted it ends with what there is by then.
 * @param program the command line's own file, which each thread begins with
 */
export async function onThreads(
  part: Part,
  threads: number,
  program: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  // What a run leaves dies with it: a thread that begins with little room for the young looks through it several times a run.
  setFlagsFromString(`--min-semi-space-size=${YOUNG_MB / 4}`);
  const outcome = await searched(part, threads, program, onProgress, signal);
  if (signal.aborted || outcome.found.length === 0) return outcome;
  onProgress({ runs: outcome.runs, found: outcome.found.length, isCutting: true });
  const shares = Array.from({ length: Math.min(threads, outcome.found.length) }, (_, at) =>
    outcome.found.filter((_, number) => number % threads === at),
  );
  try {
    const cut = await allOrNone(signal, program, (around) =>
      shares.map((found) => inThread(CUT, { ...part, found }, around)),
    );
    return { ...outcome, found: cut.flat().sort(inOrderOf(outcome)) };
  } catch (error) {
    if (signal.aborted) return outcome;
    throw error;
  }
}

async function searched(
  part: Part,
  threads: number,
  program: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const stop = new SharedArrayBuffer(4);
  const ask = () => void Atomics.store(new Int32Array(stop), 0, 1);
  signal.addEventListener('abort', ask, { once: true });
  if (signal.aborted) ask();
  const told = new Map<number, Told>();
  const onTold = (first: number) => (one: Told) => {
    told.set(first, one);
    const all = [...told.values()];
    const found = new Set(all.flatMap(({ keys }) => keys)).size;
    onProgress({ runs: all.reduce((sum, { runs }) => sum + runs, 0), found, isCutting: false });
  };
  try {
    const outcomes = await allOrNone(undefined, program, (around) =>
      Array.from({ length: threads }, (_, first) =>
        inThread(SEARCH, { ...part, first, step: threads, stop }, { ...around, onTold: onTold(first) }),
      ),
    );
    return together(outcomes);
  } finally {
    signal.removeEventListener('abort', ask);
  }
}

/** When one fails the others are ended. */
async function allOrNone<T>(
  signal: AbortSignal | undefined,
  program: string,
  begin: (around: Around<never>) => Promise<T>[],
): Promise<T[]> {
  const failed = new AbortController();
  const signals = signal ? [signal, failed.signal] : [failed.signal];
  const around = {
    program,
    signal: AbortSignal.any(signals),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  };
  const begun = begin(around);
  try {
    return await Promise.all(begun);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(begun);
    throw error;
  }
}

/** The first run that broke something is the one that counts, whichever thread made it. */
export function together(outcomes: readonly Outcome[]): Outcome {
  const found = new Map<string, Found>();
  const coverage = new Map<string, number>();
  const statuses: Record<string, number> = {};
  for (const outcome of outcomes) {
    merge(coverage, outcome.coverage);
    for (const [status, count] of Object.entries(outcome.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    for (const one of outcome.found) {
      const known = found.get(one.key);
      if (!known || one.number < known.number) found.set(one.key, one);
    }
  }
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((all, one) => all + of(one), 0);
  return {
    runs: sum(({ runs }) => runs),
    sessions: sum(({ sessions }) => sessions),
    // Of one run in the order in which it broke them: sorting is stable, and one thread made the run.
    found: [...found.values()].sort((one, other) => one.number - other.number),
    coverage: [...coverage],
    statuses,
  };
}

function inOrderOf({ found }: Outcome): (one: Found, other: Found) => number {
  const places = new Map(found.map(({ key }, at) => [key, at]));
  return (one, other) => (places.get(one.key) ?? 0) - (places.get(other.key) ?? 0);
}
