/** pipeline simulate: drives a pipeline through whatever models, processes, persons and crashes may do to it, and says what breaks. */
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { counted, duration } from '../core/words.js';
import { parseDuration } from '../load/duration.js';
import { problemsText } from '../load/report.js';
import type { Surroundings } from '../request.js';
import type { Found, Outcome } from '../simulate/campaign.js';
import { compile } from '../simulate/compiled.js';
import { isReplay, replayInThread } from '../simulate/found/replay-thread.js';
import { writeFound } from '../simulate/found/write-found.js';
import { neverIn } from '../simulate/promises/coverage.js';
import { type Simulation, simulationsIn } from '../simulate/sim-file.js';
import { tracedRun } from '../simulate/traced-run.js';
import { isPart, onThreads, type Part, programHere } from '../simulate/workers.js';
import { type Claim, claimProblems } from '../testing/claims.js';
import type { SkillTest } from '../testing/skill-test.js';
import { printJson, printResult, say, stderrScreen } from './output.js';
import { givenInputs } from './run-options.js';
import { stopOnSignals } from './signals.js';
import { wrapped } from './wrapped.js';

interface SimulateOptions {
  readonly runs?: string;
  readonly time?: string;
  readonly seed?: string;
  readonly trace?: boolean;
  readonly json?: boolean;
  readonly query?: string;
  readonly input: readonly string[];
  readonly skillsDir: readonly string[];
}

const TIME_MS = 30_000;
const FOR_EVER_MS = 7 * 24 * 3_600_000;
const MOST_THREADS = 8;

export async function simulateCommand(target: string, options: SimulateOptions): Promise<void> {
  if ((await isPart()) || (await isReplay())) return;
  const bounds = boundsOf(options);
  const around = { target, cwd: process.cwd(), skillsDirs: options.skillsDir };
  const given = { query: options.query ?? [], inputs: givenInputs(options.input) };
  const read = await compile({ ...around, ...given });
  if (!('compiled' in read)) return refuse(read.problems, read.inputs);
  const { plan } = read.compiled;
  const { simulations, problems } = simulationsIn(dirname(plan.file));
  const wrong = [...problems, ...simulations.flatMap(({ claims }) => claimProblems(claims, plan))];
  if (hasErrors(wrong)) return refuse(wrong, []);
  const asked = simulations.length > 0 ? simulations : [WITHOUT_CLAIMS];
  const seed = options.seed ?? newSeed();
  if (options.trace) return trace(around, asked, given, seed, options);

  const { signal, release } = stopOnSignals();
  const reports: Report[] = [];
  try {
    for (const simulation of asked) {
      const part: Part = {
        ...around,
        query: options.query ?? simulation.queries,
        inputs: { ...simulation.inputs, ...given.inputs },
        file: simulation.file === '' ? undefined : simulation.file,
        seed,
        runs: bounds.runs,
        timeMs: bounds.timeMs / asked.length,
      };
      const begun = performance.now();
      const threads = Math.max(1, Math.min(availableParallelism(), MOST_THREADS, bounds.runs));
      const outcome = await onThreads(part, threads, programHere(), progress(simulation, plan), signal);
      const ms = performance.now() - begun;
      const written = await writeTests(outcome, plan, { ...around, env: process.env }, signal);
      reports.push({ simulation, outcome, ms, written });
    }
  } finally {
    release();
  }
  process.exitCode = reports.some(({ outcome }) => outcome.found.length > 0) ? 1 : 0;
  if (options.json) return printJson(documentOf(reports, seed));
  for (const report of reports) say(textOf(report, plan, seed));
}

interface Report {
  readonly simulation: Simulation;
  readonly outcome: Outcome;
  readonly ms: number;
  /** Test files that were written, by what they show; absolute. */
  readonly written: ReadonlyMap<string, string>;
}

const WITHOUT_CLAIMS: Simulation = { name: '', file: '', queries: [], inputs: {}, claims: [] };

function boundsOf({ runs, time }: SimulateOptions): { readonly runs: number; readonly timeMs: number } {
  const count = runs === undefined ? undefined : Number(runs);
  if (count !== undefined && (!Number.isSafeInteger(count) || count < 1)) {
    throw new Fault('input.invalid', `--runs ${runs} is no count`, { hint: 'Write a whole number: --runs 10000' });
  }
  const timeMs = time === undefined ? undefined : parseDuration(time);
  if (time !== undefined && !timeMs) {
    throw new Fault('input.invalid', `--time ${time} is no duration`, { hint: 'Write --time 30s, or 5m.' });
  }
  return {
    runs: count ?? Number.MAX_SAFE_INTEGER,
    timeMs: timeMs ?? (count === undefined ? TIME_MS : FOR_EVER_MS),
  };
}

function newSeed(): string {
  return Math.random().toString(36).slice(2, 8);
}

function refuse(problems: readonly Problem[], inputs: readonly string[]): void {
  if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
  for (const message of inputs) say(`✗ ${message}`);
  say('Nothing was run.');
  process.exitCode = 2;
}

async function trace(
  around: Pick<Part, 'target' | 'cwd' | 'skillsDirs'>,
  asked: readonly Simulation[],
  given: { readonly inputs: Readonly<Record<string, Json>> },
  seed: string,
  { json, query }: SimulateOptions,
): Promise<void> {
  const claims: readonly Claim[] = asked.flatMap((one) => one.claims);
  const [first = WITHOUT_CLAIMS] = asked;
  const read = await compile({
    ...around,
    query: query ?? first.queries,
    inputs: { ...first.inputs, ...given.inputs },
  });
  if (!('compiled' in read)) return refuse(read.problems, read.inputs);
  const traced = await tracedRun(read.compiled, seed, claims);
  process.exitCode = traced.violations.length > 0 ? 1 : 0;
  if (json) return printJson({ seed, ...traced });
  printResult(traced.lines.join('\n'));
  for (const { what, said } of traced.violations) say(`✗ ${plainText(what)}\n  ${plainText(said)}`);
  if (traced.violations.length === 0) say('✓ nothing was broken');
}

function progress(simulation: Simulation, plan: Plan): (runs: number) => void {
  const screen = stderrScreen();
  const name = simulation.name === '' ? plan.name : simulation.name;
  return (runs) => {
    if (screen.live) screen.write(`\r\u001b[2K${plainText(name).slice(0, screen.columns() - 20)}  ${runs} runs\r`);
  };
}

/** Beside the author's own tests. */
async function writeTests(
  { found }: Outcome,
  plan: Plan,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  const folder = join(dirname(plan.file), 'tests');
  const simulated = (test: SkillTest) => replayInThread(test, around, programHere(), signal);
  for (const { violation, test } of found) {
    signal.throwIfAborted();
    const file = test && (await writeFound(test, folder, around, simulated));
    if (file !== undefined) written.set(violation.what, file);
  }
  return written;
}

function textOf({ simulation, outcome, ms, written }: Report, plan: Plan, seed: string): string {
  const screen = stderrScreen();
  const paint = (code: number, text: string) => (screen.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const head = simulation.name === '' ? paint(1, plan.name) : `${paint(1, plan.name)}  ${plainText(simulation.name)}`;
  const found = outcome.found.flatMap((one) => foundLines(one, written.get(one.violation.what), paint));
  const never = neverIn(new Map(outcome.coverage));
  const came = outcome.coverage.length - never.length;
  const statuses = Object.entries(outcome.statuses)
    .sort(([, a], [, b]) => b - a)
    .map(([status, count]) => `${status} ${count}`);
  const lines = [
    `${screen.live ? '\r\u001b[2K' : ''}${head}`,
    ...(found.length > 0 ? found : [`  ${paint(32, '✓')} nothing was broken`]),
    `  ${counted(outcome.runs, 'run')} in ${duration(ms)}, ${counted(outcome.sessions, 'session')}: ${statuses.join(', ')}`,
    `  came to ${came} of ${outcome.coverage.length} places${never.length > 0 ? '; to these no run came:' : ''}`,
    ...never.map((name) => `    ${name}`),
    paint(2, `  seed ${seed}`),
  ];
  return wrapped(lines.join('\n'), Math.max(40, screen.columns()));
}

function foundLines(found: Found, file: string | undefined, paint: (code: number, text: string) => string): string[] {
  const { violation, story, seed, choices } = found;
  const test = file && `pipeline test ${relative(process.cwd(), file)}`;
  const how =
    violation.type === 'promise'
      ? `This is a fault of pipeline, not of your file: tell us the file and ${test ? 'its test' : 'the seed'}.`
      : (test ?? `pipeline simulate … --seed ${seed} --trace`);
  return [
    `  ${paint(31, '✗')} ${plainText(violation.what)}`,
    ...(violation.said === 'it does not hold' ? [] : [`      ${plainText(violation.said)}`]),
    `      ${plainText(story)}`,
    `      ${paint(2, `seed ${seed}, cut down to ${counted(choices, 'choice')}`)}`,
    ...(violation.type === 'promise' && test ? [`  test  ${test}`] : []),
    `  try  ${how}`,
  ];
}

function documentOf(reports: readonly Report[], seed: string): Json {
  return {
    seed,
    simulations: reports.map(({ simulation, outcome, ms, written }) => ({
      name: simulation.name,
      runs: outcome.runs,
      sessions: outcome.sessions,
      ms: Math.round(ms),
      statuses: outcome.statuses,
      found: outcome.found.map((found) => ({
        ...found.violation,
        story: found.story,
        seed: found.seed,
        choices: found.choices,
        taken: Object.fromEntries(found.taken),
        ...(written.has(found.violation.what) ? { test: written.get(found.violation.what) ?? '' } : {}),
      })),
      coverage: Object.fromEntries(outcome.coverage),
      never: neverIn(new Map(outcome.coverage)),
    })),
  } as unknown as Json;
}
