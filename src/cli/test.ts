/** pipeline test: runs the tests of skills, several at a time, and says them in their order. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname } from 'node:path';
import { columnsOf, cutTo } from '../core/columns.js';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { counted, duration } from '../core/words.js';
import { problemsText } from '../load/report.js';
import { openProject } from '../run.js';
import { replayInThread } from '../simulate/found/replay-thread.js';
import { refuseDrift, skillDirsOf } from '../skills/drift.js';
import { failureLines } from '../testing/failure-text.js';
import { type FoundTests, findTests } from '../testing/find-tests.js';
import { junitXml } from '../testing/junit.js';
import { performTest, type TestResult } from '../testing/perform.js';
import { removeLeftovers } from '../testing/runs-dir.js';
import type { SkillTest } from '../testing/skill-test.js';
import { printJson, printResult, say, stderrScreen } from './output.js';
import { stopOnSignals } from './signals.js';
import { wrapped } from './wrapped.js';

interface TestOptions {
  readonly reporter: 'text' | 'junit';
  /** A file. */
  readonly junit?: string;
  readonly json?: boolean;
  readonly filter?: string;
  readonly keep?: boolean;
  readonly skillsDir: readonly string[];
}

/** While the processes of some tests have the cores, one more is at work in this one. */
const AT_ONCE = availableParallelism() + 1;

export async function testCommand(targets: readonly string[], options: TestOptions): Promise<void> {
  refuseTwoDocuments(options);
  const begun = Date.now();
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const found = await findTests(targets, around);
  if (found.problems.length > 0) say(problemsText(found.problems, { cwd: process.cwd() }));
  if (hasErrors(found.problems)) {
    say('Nothing was run.');
    process.exitCode = 2;
    if (options.json) printJson({ problems: found.problems });
    return;
  }
  const dirs = [...found.checked.values()].flatMap(({ plan }) => (plan ? skillDirsOf(plan) : []));
  refuseDrift(dirs, openProject(around).dir);
  const tests = chosen(found, targets, options.filter);
  await removeLeftovers(begun);
  const { signal, release } = stopOnSignals();
  const said = options.reporter === 'text' && !options.json ? textReport() : undefined;
  const results: TestResult[] = [];
  const keep = options.keep === true;
  const simulated = (test: SkillTest) => replayInThread(test, around, signal);
  const running = startInOrder(tests, (test) => {
    signal.throwIfAborted();
    return performTest(test, around, { signal, keep, checked: found.checked.get(test.target), simulated });
  });
  try {
    for (const one of running) {
      const result = await one;
      signal.throwIfAborted();
      results.push(result);
      said?.(result);
    }
  } finally {
    // Each removes its folder, also when it was ended.
    const over = await Promise.allSettled(running);
    if (signal.aborted && keep) {
      const ended = over.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])).slice(results.length);
      for (const { dir } of ended) if (dir !== undefined) say(`run folder  ${dir}`);
    }
    release();
  }
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  process.exitCode = failed > 0 ? 1 : 0;
  const ms = Math.max(0, Date.now() - begun);
  if (options.reporter === 'junit') printResult(junitXml(results));
  if (options.junit !== undefined) writeReport(options.junit, junitXml(results));
  if (options.json) {
    printJson({ tests: results.length, passed: results.length - failed, failed, ms, results: results.map(resultJson) });
  }
  say(census(results.length, failed, ms));
}

function refuseTwoDocuments({ json, reporter }: TestOptions): void {
  if (json && reporter === 'junit')
    throw new Fault('input.invalid', '--json and --reporter junit exclude each other', {
      hint: 'Write the second one to a file: --json --junit <file>',
    });
}

function writeReport(file: string, xml: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, xml);
  } catch (error) {
    throw new Fault('input.invalid', `--junit ${file} cannot be written: ${(error as Error).message}`, {
      hint: 'Name a file in a folder that you may write in.',
    });
  }
}

function resultJson({ test, failures, ms, dir }: TestResult) {
  return {
    skill: basename(test.target),
    name: test.name,
    file: test.file,
    passed: failures.length === 0,
    ms,
    failures: failures.map(({ what, expected, actual, absent }) => {
      return { what, expected, actual: actual ?? null, ...(absent === undefined ? {} : { absent }) };
    }),
    ...(dir === undefined ? {} : { dir }),
  };
}

function chosen({ tests, untested }: FoundTests, targets: readonly string[], filter: string | undefined): SkillTest[] {
  const wanted = filter?.toLowerCase();
  const matching = tests.filter(
    ({ name, file }) => wanted === undefined || `${name}\n${basename(file)}`.toLowerCase().includes(wanted),
  );
  if (matching.length > 0) return matching;
  if (tests.length > 0) {
    throw new Fault('input.unknown', `none of the ${counted(tests.length, 'test')} has "${filter}" in its name`);
  }
  const where = targets.length > 0 ? `${untested.join(', ')} has no tests` : 'no skill of this project has tests';
  throw new Fault('input.unknown', where, { hint: 'Write tests/<name>.test.yaml in the skill’s folder.' });
}

/** As many at a time as the machine has room for; each promise settles when its own test is over. */
function startInOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R>[] {
  const started: Promise<R>[] = [];
  for (const [at, item] of items.entries()) {
    const before = started.slice(0, at);
    const free = at < AT_ONCE ? Promise.resolve() : settledCount(before, at - AT_ONCE + 1);
    const one = free.then(() => work(item));
    one.catch(() => undefined);
    started.push(one);
  }
  return started;
}

function settledCount(promises: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let settled = 0;
    const settle = () => {
      if (++settled === count) resolve();
    };
    for (const one of promises) one.then(settle, settle);
  });
}

/** One line a test, below the name of its skill; what is not as expected stands under it. */
function textReport(): (result: TestResult) => void {
  const { color, columns } = stderrScreen();
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  let skill = '';
  return ({ test, failures, ms, dir }) => {
    const here = basename(test.target);
    const lines = here === skill ? [] : [paint(1, here)];
    skill = here;
    const width = Math.max(20, Math.min(columns(), 100) - 14);
    const name = cutTo(plainText(test.name), width);
    const mark = failures.length === 0 ? paint(32, '✓') : paint(31, '✗');
    const space = ' '.repeat(Math.max(1, width - columnsOf(name)));
    lines.push(`  ${mark} ${name}${space}${paint(2, duration(ms).padStart(9))}`);
    for (const line of failures.flatMap(failureLines)) lines.push(wrapped(`      ${plainText(line)}`, columns()));
    if (dir !== undefined) lines.push(`      ${paint(2, 'run folder')}  ${dir}`);
    say(lines.join('\n'));
  };
}

function census(all: number, failed: number, ms: number): string {
  return `${counted(all, 'test')}: ${all - failed} passed, ${failed} failed, ${duration(ms)}`;
}
