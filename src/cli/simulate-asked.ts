/** What `pipeline simulate` is asked for: its options, and the pipeline with each of its simulation files, read and held against each other. */
import { basename, dirname, relative, resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { shellWord } from '../core/shell-word.js';
import { parseDuration } from '../load/duration.js';
import { checkPipeline } from '../run.js';
import { type Compiled, compile, type Refused } from '../simulate/compiled.js';
import { SIM_FILE, type Simulation, simulationsIn } from '../simulate/sim-file.js';
import { claimProblems } from '../testing/claim-types.js';
import { givenInputs } from './run-options.js';

export interface SimulateOptions {
  readonly runs?: string;
  readonly time?: string;
  readonly seed?: string;
  readonly trace?: boolean;
  readonly json?: boolean;
  readonly query?: readonly string[];
  readonly input: readonly string[];
  readonly skillsDir: readonly string[];
}

/** One simulation file with the pipeline as it is given to it; `file` is '' where there is none. */
export interface Asked {
  readonly simulation: Simulation;
  readonly query: readonly string[];
  readonly inputs: Readonly<Record<string, Json>>;
  readonly compiled: Compiled;
}

export interface Bounds {
  readonly runs: number;
  readonly timeMs: number;
}

const TIME_MS = 30_000;
const FOR_EVER_MS = 7 * 24 * 3_600_000;
const WITHOUT_CLAIMS: Simulation = { name: '', file: '', queries: [], inputs: {}, givenInputs: [], claims: [] };

/** One for each simulation file, or one without claims; or the mistakes of all of them. */
export async function readAsked(
  target: string,
  options: SimulateOptions,
): Promise<{ readonly plan: Plan; readonly asked: readonly Asked[] } | { readonly problems: readonly Problem[] }> {
  refuseSimulationFile(target);
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const { plan, problems } = await checkPipeline(target, around);
  if (!plan || hasErrors(problems)) return { problems };
  const { simulations, problems: unread } = simulationsIn(dirname(plan.file));
  const wrong = [...unread, ...simulations.flatMap(({ claims }) => claimProblems(claims, plan))];
  const given = givenInputs(options.input);
  const asked: Asked[] = [];
  for (const simulation of simulations.length > 0 ? simulations : [WITHOUT_CLAIMS]) {
    const query = options.query ?? simulation.queries;
    const inputs = { ...simulation.inputs, ...given };
    const got = await compile({ target, cwd: around.cwd, skillsDirs: options.skillsDir, query, inputs });
    if ('compiled' in got) asked.push({ simulation, query, inputs, compiled: got.compiled });
    else wrong.push(...misfits(got, simulation, given));
  }
  const distinct = [...new Map(wrong.map((problem) => [JSON.stringify(problem), problem])).values()];
  return hasErrors(distinct) ? { problems: distinct } : { plan, asked };
}

/** Each at the place where the input is given: in the file, or as an option. */
function misfits({ problems, inputs }: Refused, { givenInputs: inFile }: Simulation, given: object): Problem[] {
  const wrong = inputs.map(({ message, hint }): Problem => {
    const of = /input "([^"./]+)/.exec(message)?.[1] ?? '';
    const place = Object.hasOwn(given, of) ? undefined : inFile.find(({ name }) => name === of);
    const said = { severity: 'error', message: sentence(message), ...(hint === undefined ? {} : { hint }) } as const;
    if (place) return { ...said, rule: 'given-input', at: place.at };
    return { ...said, rule: 'override', at: { file: '--input', line: 1, column: 1 } };
  });
  return [...problems, ...wrong];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function refuseSimulationFile(target: string): void {
  if (!SIM_FILE.test(target)) return;
  const dir = relative(process.cwd(), dirname(dirname(resolve(target))));
  const typed = /[\\/]/.test(dir) ? dir : `./${dir}`;
  throw new Fault('input.invalid', `${basename(target)} is a simulation file, and no pipeline`, {
    hint: `Name its pipeline; the simulation files beside its tests are read: pipeline simulate ${shellWord(typed)}`,
  });
}

/** It is told again in commands and tests. */
const SEED = /^[A-Za-z0-9._-]{1,64}$/;

export function boundsOf({ runs, time, seed }: SimulateOptions): Bounds {
  if (seed !== undefined && !SEED.test(seed)) {
    throw new Fault('input.invalid', '--seed takes letters, digits, dots, dashes and underscores, 64 at most', {
      hint: 'Write --seed nightly, or the one that was told with what it broke.',
    });
  }
  const count = runs === undefined ? undefined : Number(runs);
  if (count !== undefined && (!/^\d+$/.test(runs ?? '') || count < 1)) {
    throw new Fault('input.invalid', `--runs ${runs} is no count`, { hint: 'Write a whole number: --runs 10000' });
  }
  if (count !== undefined && count > Number.MAX_SAFE_INTEGER) {
    throw new Fault('input.invalid', `--runs is at most ${Number.MAX_SAFE_INTEGER}`);
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

export function newSeed(): string {
  return Math.random().toString(36).slice(2, 8).padEnd(6, '0');
}

/** The command that shows one run again, as a person types it. */
export function traceCommand(target: string, { query, input, skillsDir }: SimulateOptions, seed: string): string {
  const words = [
    ...['pipeline', 'simulate', target, '--seed', seed, '--trace'],
    ...(query ?? []).flatMap((one) => ['--query', one]),
    ...input.flatMap((one) => ['--input', one]),
    ...skillsDir.flatMap((one) => ['--skills-dir', one]),
  ];
  return words.map(shellWord).join(' ');
}
