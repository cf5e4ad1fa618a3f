/** The last lines of a run: what it said, what to do about it, how to go on. */
import { join } from 'node:path';
import { type AskedGate, approveLine } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import { shellWord } from '../core/shell-word.js';
import { needsRounds } from '../engine/continued.js';
import { runDirAt } from '../engine/run-dir.js';
import type { RunReport } from '../request.js';
import { askedLines } from './asked.js';
import type { FailedStep } from './failed-steps.js';
import { resumeLine, type SameOptions } from './go-on.js';
import { nameOfRun } from './run-steps.js';

/** A run that was begun. */
export type Ran = Exclude<RunReport, { status: 'invalid' }>;

/**
 * @param open gates that wait
 * @param failed of a run that went on past them
 */
export function closingLines(
  report: Pick<Ran, 'status' | 'message' | 'fault' | 'dir'>,
  open: readonly AskedGate[],
  options: SameOptions,
  failed: readonly FailedStep[] = [],
): string[] {
  const lines: string[] = [];
  if (report.status === 'waiting' && open.length > 0) {
    for (const gate of open) lines.push(...gateLines(gate, report.dir));
  } else if (report.message !== '') lines.push(...report.message.split('\n').map(plainText));
  if (report.status === 'partial') lines.push(...failedLines(report.dir, failed));
  if (report.fault?.hint) lines.push(plainText(`  try  ${report.fault.hint}`));
  if (report.status !== 'done' && report.status !== 'refused') {
    const resume = resumeLine(nameOfRun(report.dir), options);
    lines.push(`  go on  ${resume}`);
    if (needsRounds(report.fault)) lines.push(`  go on in the same conversation  ${resume} --rounds +10`);
  }
  return lines;
}

/** What went wrong on the way, with what shows more of it. */
function failedLines(dir: string, failed: readonly FailedStep[]): string[] {
  const look = (path: string) => `  look   pipeline show ${shellWord(nameOfRun(dir))} ${shellWord(path)}`;
  const shown = failed.slice(0, MOST_FAILED);
  const said = shown.map(({ path, message }) => `  ✗ ${path}  ${plainText(message.split('\n', 1)[0] ?? '')}`);
  const more = failed.length > MOST_FAILED ? [`  … ${failed.length - MOST_FAILED} more`] : [];
  return [...said, ...more, ...shown.slice(0, 1).map(({ path }) => look(path))];
}

/** So many failed steps are named. */
const MOST_FAILED = 5;

/** What it asks, with what answers it. */
function gateLines(gate: AskedGate, dir: string): string[] {
  const { path, ask, choices } = gate;
  const asked = ask === '' ? [] : askedLines(ask, join(runDirAt(dir).step(path).dir, 'question.json'));
  return [
    `  ${path} asks:`,
    ...asked.map((line) => `    ${line}`.trimEnd()),
    `  choices: ${choices.map(plainText).join(', ')}`,
    `  answer ${approveLine(nameOfRun(dir), gate)}`,
  ];
}
