/** One failed step, as a person needs it to mend it: where it is written, what its model said, what was wrong with the answer, what to open. */
import fs from 'node:fs';
import { lastWordsIn } from '../agent/last-words.js';
import { cutTo } from '../core/columns.js';
import { plainText } from '../core/plain-text.js';
import { runDirAt } from '../engine/run-dir.js';
import type { FailedStep } from './failed-steps.js';
import { labelled } from './labels.js';
import { here } from './output.js';
import { table } from './table.js';

const MOST_PROBLEMS = 8;
const MOST_CELL = 48;
const MOST_SAID = 160;

/** @param said before: what stands there is not said again */
export function failureLines(dir: string, { path, at, problems = [] }: FailedStep, said: string): string[] {
  const folder = runDirAt(dir).step(path);
  const words = lastWordsIn(folder.transcript);
  const file = [folder.transcript, folder.stderr, folder.stdout].find(
    (one) => (fs.statSync(one, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  return [
    ...(at ? [labelled('at', `${path}  ${plainText(here(at.file))}:${at.line}:${at.column}`)] : []),
    ...(words === undefined || said.includes('last words')
      ? []
      : [labelled('said', cutTo(plainText(words), MOST_SAID))]),
    ...problemLines(problems),
    ...(file === undefined || said.includes(file) ? [] : [labelled('see', plainText(here(file)))]),
  ];
}

/** What the schema says against the answer: where, what was expected, what came. */
function problemLines(problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  const found = problems.flatMap(listedIn);
  const rows = found.slice(0, MOST_PROBLEMS).map(problemRow);
  const head = rows.some((row) => row.length > 2) ? ['answer', 'expected', 'got'] : ['answer', 'what is wrong'];
  const more = found.length > MOST_PROBLEMS ? [`    … ${found.length - MOST_PROBLEMS} more`] : [];
  return [
    ...table([head, ...rows])
      .split('\n')
      .map((line) => `    ${line}`),
    ...more,
  ];
}

/** A tool says several at once, below one another. */
function listedIn(problem: string): string[] {
  const listed = problem.split('\n').filter((line) => line.startsWith('- '));
  return listed.length > 0 ? listed.map((line) => line.slice(2)) : [problem];
}

/** From `/year: expected integer, received string "2020"`, as core/schema-complaints.ts writes it. */
function problemRow(problem: string): string[] {
  const [, pointer, rest = problem] = /^(?:answer|(\/.*?)): ([\s\S]*)$/.exec(problem) ?? [];
  const compared = /^expected ([\s\S]*), received ([\s\S]*?)$/.exec(rest);
  const cells = compared ? [compared[1] ?? '', compared[2] ?? ''] : [rest];
  return [pointer ?? '(whole)', ...cells].map((cell) => cutTo(plainText(cell), MOST_CELL));
}
