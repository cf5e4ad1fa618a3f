/** pipeline simulate --trace: one run step by step, that of a seed or that of a found test. */
import { relative, resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { shellWord } from '../core/shell-word.js';
import { counted } from '../core/words.js';
import { compile } from '../simulate/compiled.js';
import { type Traced, tracedRun, tracedTest } from '../simulate/traced-run.js';
import { readTest } from '../testing/read-test.js';
import { printJson, printResult, say } from './output.js';
import type { Asked, SimulateOptions } from './simulate-asked.js';

export const TEST_FILE = /\.test\.ya?ml$/;

interface Told extends Traced {
  readonly name: string;
  /** Of the simulation, or of the test; absolute, undefined where there is none. */
  readonly file: string | undefined;
}

/** Of the seed as the command line has it. */
export function seedOfOne(seed: string | undefined): string {
  if (seed === undefined) {
    throw new Fault('input.invalid', '--trace needs the seed of one run', {
      hint: 'Give the one that was told with what it broke: --seed 6xbqyg.20 --trace',
    });
  }
  if (/\.\d+$/.test(seed)) return seed;
  throw new Fault('input.invalid', `"${seed}" is the seed of many runs, and --trace shows one`, {
    hint: `Say which: --seed ${shellWord(`${seed}.0`)} --trace shows the first.`,
  });
}

/** With each simulation file's own query, inputs and claims. */
export async function traceSeed(asked: readonly Asked[], seed: string, { json }: SimulateOptions): Promise<void> {
  const all: Told[] = [];
  for (const { simulation, compiled } of asked) {
    const traced = await tracedRun(compiled, seed, simulation.claims);
    all.push({ name: simulation.name, file: simulation.file === '' ? undefined : simulation.file, ...traced });
  }
  tell(all, json, seed, ({ choices }) => `-- run ${seed}, with all of its ${counted(choices, 'choice')}`);
}

/** @returns the mistakes of the test, or of its pipeline */
export async function traceTest(
  target: string,
  { json, skillsDir }: SimulateOptions,
): Promise<readonly Problem[] | undefined> {
  const file = resolve(target);
  const { test, problems } = readTest(file);
  if (!test || hasErrors(problems)) return problems;
  if (test.model.type !== 'simulated') {
    throw new Fault('input.invalid', `${target} is told in words, and is no simulated run`, {
      hint: `Its run folder has all of it: pipeline test ${shellWord(target)} --keep`,
    });
  }
  const { query, inputs, name } = test;
  const got = await compile({ target: test.target, cwd: process.cwd(), skillsDirs: skillsDir, query: [query], inputs });
  if (!('compiled' in got)) {
    const wrong = got.inputs.map(
      ({ message }): Problem => ({
        severity: 'error',
        rule: 'given-input',
        message,
        at: test.givenInputs[0]?.at ?? { file, line: 1, column: 1 },
      }),
    );
    return [...got.problems, ...wrong];
  }
  const traced = await tracedTest(got.compiled, test);
  const place = relative(process.cwd(), file);
  tell([{ name, file, ...traced }], json, undefined, ({ choices }) => `-- ${place}, ${counted(choices, 'choice')}`);
  return undefined;
}

function tell(all: readonly Told[], json: boolean | undefined, seed: string | undefined, first: (of: Told) => string) {
  process.exitCode = all.some(({ violations }) => violations.length > 0) ? 1 : 0;
  if (json) return printJson({ ...(seed === undefined ? {} : { seed }), traces: all });
  for (const one of all) {
    const name = one.name === '' ? [] : [`-- ${one.name}`];
    printResult([...name, first(one), ...one.lines].join('\n'));
    const of = all.length > 1 ? `${plainText(one.name)}: ` : '';
    for (const { what, said } of one.violations) say(`✗ ${of}${plainText(what)}\n  ${plainText(said)}`);
    if (one.violations.length === 0) say(`✓ ${of}nothing was broken`);
  }
}
