/** pipeline simulate: drives a pipeline through whatever models, processes, persons and crashes may do to it, and says what breaks. */
import { availableParallelism } from 'node:os';
import { FAULTS, toFault } from '../core/faults.js';
import type { Plan } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import { problemsText } from '../load/report.js';
import { REPLAY } from '../simulate/found/replay-thread.js';
import { didJob, programHere } from '../simulate/thread.js';
import { CAMPAIGN_JOBS, onThreads, type Part } from '../simulate/workers.js';
import { printJson, say, stderrScreen } from './output.js';
import { stopOnSignals } from './signals.js';
import { type Asked, boundsOf, newSeed, readAsked, type SimulateOptions, traceCommand } from './simulate-asked.js';
import { placeOfTests, writeTests } from './simulate-tests.js';
import { CLEAR, progressText, type Report, reportsJson, reportText } from './simulate-text.js';
import { seedOfOne, TEST_FILE, traceSeed, traceTest } from './simulate-trace.js';

const MOST_THREADS = 8;

export async function simulateCommand(target: string, options: SimulateOptions): Promise<void> {
  if (await didJob([...CAMPAIGN_JOBS, REPLAY])) return;
  if (TEST_FILE.test(target)) {
    const problems = await traceTest(target, options);
    return problems && refuse(problems, options);
  }
  boundsOf(options);
  const one = options.trace ? seedOfOne(options.seed) : undefined;
  const read = await readAsked(target, options);
  if ('problems' in read) return refuse(read.problems, options);
  if (one !== undefined) return traceSeed(read.asked, one, options);
  await simulate(target, read.plan, read.asked, options);
}

async function simulate(target: string, plan: Plan, asked: readonly Asked[], options: SimulateOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const seed = options.seed ?? newSeed();
  if (options.seed !== undefined && /\.\d+$/.test(options.seed))
    say(`The runs of the series "${seed}" are made; the one run of that seed: ${traceCommand(target, options, seed)}`);
  const place = await placeOfTests(plan, target, around);
  const { signal, release } = stopOnSignals();
  const reports: Report[] = [];
  try {
    for (const [number, one] of asked.entries()) {
      if (signal.aborted) break;
      const part = { ...partOf(target, one, asked.length, options), seed };
      const begun = performance.now();
      const threads = Math.max(1, Math.min(availableParallelism(), MOST_THREADS, part.runs));
      const outcome = await onThreads(part, threads, programHere(), progress(plan, asked, number, part), signal);
      const ms = performance.now() - begun;
      reports.push({ asked: one, outcome, ms, shown: await writeTests(outcome.found, place, around, signal) });
    }
  } finally {
    release();
    if (stderrScreen().live) stderrScreen().write(CLEAR);
  }
  process.exitCode = exitOf(reports, signal);
  if (options.json) return printJson(reportsJson(reports, seed, signal.aborted));
  const how = { screen: stderrScreen(), seed, again: (of: string) => traceCommand(target, options, of) };
  for (const report of reports) say(reportText(report, plan, how));
  if (signal.aborted) say(`✗ ${toFault(signal.reason).message}`);
}

/** The time is shared by the simulation files. */
function partOf(
  target: string,
  { simulation, query, inputs }: Asked,
  count: number,
  options: SimulateOptions,
): Omit<Part, 'seed'> {
  const { runs, timeMs } = boundsOf(options);
  return {
    target,
    cwd: process.cwd(),
    skillsDirs: options.skillsDir,
    query,
    inputs,
    file: simulation.file === '' ? undefined : simulation.file,
    runs,
    timeMs: timeMs / count,
  };
}

/** A simulation that made no run has shown nothing. */
function exitOf(reports: readonly Report[], signal: AbortSignal): number {
  if (signal.aborted) return FAULTS[toFault(signal.reason).code].exit;
  if (reports.some(({ outcome }) => outcome.found.length > 0)) return 1;
  return reports.some(({ outcome }) => outcome.runs === 0) ? 2 : 0;
}

function refuse(problems: readonly Problem[], { json }: SimulateOptions): void {
  process.exitCode = 2;
  if (json) printJson({ problems });
  else say(`${problemsText(problems, { cwd: process.cwd() })}\nNothing was run.`);
}

/** One line that is written over, at a terminal. */
function progress(
  plan: Plan,
  asked: readonly Asked[],
  number: number,
  part: Omit<Part, 'seed'>,
): Parameters<typeof onThreads>[3] {
  const screen = stderrScreen();
  const begun = performance.now();
  const name = asked[number]?.simulation.name || plan.name;
  const title = asked.length > 1 ? `${name} (${number + 1} of ${asked.length})` : name;
  return (made) => {
    const ms = performance.now() - begun;
    if (screen.live) screen.write(progressText(title, made, part, ms, screen.columns()));
  };
}
