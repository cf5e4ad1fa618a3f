/** A campaign on several threads of this program: each simulates a part of the runs on a disk of its own. */
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Json } from '../core/json.js';
import { campaign, type Found, type Outcome } from './campaign.js';
import { compile } from './compiled.js';
import { onDisk } from './disk/on-disk.js';
import { merge } from './promises/coverage.js';
import { readSimulation } from './sim-file.js';

/** What a thread is told: plain data. */
export interface Part {
  readonly target: string;
  readonly cwd: string;
  readonly skillsDirs: readonly string[];
  /** As `compile` takes them. */
  readonly query: string | readonly string[];
  readonly inputs: Readonly<Record<string, Json>>;
  /** Where its claims stand; absolute. */
  readonly file: string | undefined;
  readonly seed: string;
  readonly runs: number;
  readonly timeMs: number;
}

type Told =
  | { readonly type: 'runs'; readonly runs: number }
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'failed'; readonly message: string };

const TOLD_EVERY_MS = 200;
const YOUNG_MB = 128;

/** Whether this thread is one that `onThreads` has started: it then does its part, and nothing else. */
export async function isPart(): Promise<boolean> {
  const data = workerData as { readonly simulate?: Part & { readonly first: number; readonly step: number } } | null;
  if (isMainThread || !data?.simulate) return false;
  const { first, step, ...part } = data.simulate;
  let toldAt = 0;
  const tell = (told: Told) => parentPort?.postMessage(told);
  try {
    const outcome = await perform(part, first, step, (runs) => {
      const now = performance.now();
      if (now - toldAt < TOLD_EVERY_MS) return;
      toldAt = now;
      tell({ type: 'runs', runs });
    });
    tell({ type: 'outcome', outcome });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  return true;
}

async function perform(part: Part, first: number, step: number, onRun: (runs: number) => void): Promise<Outcome> {
  const got = await compile(part);
  if (!('compiled' in got)) throw new Error('it cannot be read any more');
  const claims = part.file === undefined ? [] : (readSimulation(part.file).simulation?.claims ?? []);
  const { stackTraceLimit } = Error;
  // Most faults of a simulation are meant: a trace of each would cost more than the rest of a step.
  Error.stackTraceLimit = 0;
  try {
    const { seed, runs, timeMs } = part;
    const { compiled } = got;
    const now = () => performance.now();
    const asked = { compiled, claims, seed, runs, first, step, timeMs, now };
    return await onDisk((disk) => campaign(asked, disk, onRun));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** @param program the command line's own file, which each thread begins with */
export async function onThreads(
  part: Part,
  threads: number,
  program: string,
  onRuns: (runs: number) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  // What a run leaves dies with it: a thread that begins with little room for the young looks through it several times a run.
  setFlagsFromString(`--min-semi-space-size=${YOUNG_MB / 4}`);
  const counts = new Map<number, number>();
  const told = () => onRuns([...counts.values()].reduce((sum, one) => sum + one, 0));
  const one = (first: number) =>
    new Promise<Outcome>((resolve, reject) => {
      const worker = new Worker(program, {
        argv: ['simulate', part.target],
        workerData: { simulate: { ...part, first, step: threads } },
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      });
      const stop = () => void worker.terminate();
      signal.addEventListener('abort', stop, { once: true });
      worker.on('message', (message: Told) => {
        if (message.type === 'outcome') resolve(message.outcome);
        else if (message.type === 'failed') reject(new Error(message.message));
        else {
          counts.set(first, message.runs);
          told();
        }
      });
      worker.on('error', reject);
      worker.on('exit', () => {
        signal.removeEventListener('abort', stop);
        reject(signal.aborted ? signal.reason : new Error('a thread ended without saying why'));
      });
    });
  const outcomes = await Promise.all(Array.from({ length: threads }, (_, first) => one(first)));
  return together(outcomes);
}

function together(outcomes: readonly Outcome[]): Outcome {
  const found = new Map<string, Found>();
  const coverage = new Map<string, number>();
  const statuses: Record<string, number> = {};
  for (const outcome of outcomes) {
    merge(coverage, outcome.coverage);
    for (const [status, count] of Object.entries(outcome.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    for (const one of outcome.found) {
      const known = found.get(one.violation.what);
      if (!known || one.choices < known.choices) found.set(one.violation.what, one);
    }
  }
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((all, one) => all + of(one), 0);
  return {
    runs: sum(({ runs }) => runs),
    sessions: sum(({ sessions }) => sessions),
    found: [...found.values()],
    coverage: [...coverage],
    statuses,
  };
}

/** The command line that this program was started as; undefined where it is no bundle of ours. */
export function programHere(): string {
  return fileURLToPath(new URL('cli.js', import.meta.url));
}
