/** The last lines of a run: what it said, what to do about it, how to go on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cutTo } from '../core/columns.js';
import { type AskedGate, approveLine } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import { shellWord } from '../core/shell-word.js';
import { needsRounds } from '../engine/continued.js';
import { runDirAt } from '../engine/run-dir.js';
import { nameOfRun } from '../engine/ways-on.js';
import type { RunReport } from '../request.js';
import { briefMessage } from '../sinks/terminal/told.js';
import { askedLines } from './asked.js';
import type { FailedStep } from './failed-steps.js';
import { failureLines } from './failure.js';
import { resumeLine, type SameOptions } from './go-on.js';
import { labelled } from './labels.js';
import type { MadeFiles } from './made-files.js';
import { here, hereIn } from './output.js';
import { SIGNALS } from './signals.js';

/** A run that was begun. */
export type Ran = Exclude<RunReport, { status: 'invalid' }>;

/**
 * @param open gates that wait
 * @param failed those that failed on the way, or made it fail
 * @param made what the run has published
 */
export function closingLines(
  report: Pick<Ran, 'status' | 'message' | 'fault' | 'dir'>,
  open: readonly AskedGate[],
  options: SameOptions,
  failed: readonly FailedStep[] = [],
  made: MadeFiles = { newest: [], count: 0 },
): string[] {
  const lines: string[] = [];
  if (report.status === 'waiting' && open.length > 0) {
    for (const gate of open) lines.push(...gateLines(gate, report.dir));
  } else if (report.message !== '' && !isSignalled(report))
    lines.push(...messageOf(report, failed).split('\n').map(plainText));
  if (report.status === 'partial' || report.status === 'failed') lines.push(...failedLines(report, failed));
  lines.push(...madeLines(report.dir, made), ...openLines(report.dir));
  if (report.fault?.hint) lines.push(labelled('try', plainText(hereIn(report.fault.hint))));
  if (report.status !== 'done' && report.status !== 'refused') {
    const resume = resumeLine(nameOfRun(report.dir), options);
    lines.push(
      labelled('go on', report.fault?.raise === undefined ? resume : `${resume} --limit ${report.fault.raise}`),
    );
    if (needsRounds(report.fault)) lines.push(labelled('go on in the same conversation', `${resume} --rounds +10`));
  }
  return lines;
}

/** By a signal, which the line of the step and that of the run say already. */
function isSignalled({ status, message }: Pick<Ran, 'status' | 'message'>): boolean {
  return status === 'cancelled' && Object.values(SIGNALS).some((signal) => signal.message === message);
}

/** Where a table says what was wrong with the last answer, the message need not. */
function messageOf({ message }: Pick<Ran, 'message'>, [first]: readonly FailedStep[]): string {
  return first?.problems?.length ? briefMessage(message) : message;
}

/** What went wrong, with what shows more of it: the first whole, of the others a line. */
function failedLines(
  { dir, status, message, fault }: Pick<Ran, 'dir' | 'status' | 'message' | 'fault'>,
  failed: readonly FailedStep[],
): string[] {
  const [first] = failed;
  if (!first) return [];
  const look = (path: string) => labelled('look', `pipeline show ${shellWord(nameOfRun(dir))} ${shellWord(path)}`);
  const shown = failed.slice(0, MOST_FAILED);
  // The message of a failed run is mostly that of its first failure.
  const isSaid = status === 'failed' && message.includes(headOf(first));
  const said = (isSaid ? shown.slice(1) : shown).map((one) => `  ✗ ${one.path}  ${cutTo(headOf(one), MOST_COLUMNS)}`);
  const more = failed.length > MOST_FAILED ? [`  … ${failed.length - MOST_FAILED} more`] : [];
  return [...said, ...more, ...failureLines(dir, first, `${message}${fault?.hint ?? ''}`), look(first.path)];
}

function headOf({ message }: FailedStep): string {
  return plainText(briefMessage(message).split('\n', 1)[0] ?? '');
}

/** Where there is a report of it. */
function openLines(dir: string): string[] {
  if (!existsSync(runDirAt(dir).report)) return [];
  return [labelled('open', `pipeline open ${shellWord(nameOfRun(dir))}`)];
}

/** The newest first: what comes last is mostly what was asked for. */
function madeLines(dir: string, { newest, count }: MadeFiles): string[] {
  if (count === 0) return [];
  const names = [...newest].reverse().map(plainText).join(', ');
  const more = count > newest.length ? ` and ${count - newest.length} more` : '';
  return [labelled('files', `${names}${more}  in ${plainText(here(dir))}`)];
}

/** So many failed steps are named. */
const MOST_FAILED = 5;
const MOST_COLUMNS = 160;

/** What it asks, with what answers it. */
function gateLines(gate: AskedGate, dir: string): string[] {
  const { path, ask, choices } = gate;
  const asked = ask === '' ? [] : askedLines(ask, join(runDirAt(dir).step(path).dir, 'question.json'));
  return [
    `  ${path} asks:`,
    ...asked.map((line) => `    ${line}`.trimEnd()),
    labelled('choices:', choices.map(plainText).join(', ')),
    labelled('answer', approveLine(nameOfRun(dir), gate)),
  ];
}
