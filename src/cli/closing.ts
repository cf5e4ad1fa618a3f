/** The last lines of a run: what it said, what to do about it, how to go on. */
import { join } from 'node:path';
import { type AskedGate, approveLine } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import { shellWord } from '../core/shell-word.js';
import { needsRounds } from '../engine/continued.js';
import { runDirAt } from '../engine/run-dir.js';
import type { RunReport } from '../request.js';
import { askedLines } from './asked.js';
import { nameOfRun } from './run-steps.js';

/** A run that was begun. */
export type Ran = Exclude<RunReport, { status: 'invalid' }>;

/** What has to be said again when the run is gone on with. */
export interface SameOptions {
  readonly skillsDir: readonly string[];
  readonly model?: string;
  readonly record?: string;
  readonly replay?: string;
  /** False for `--no-detect`. */
  readonly detect: boolean;
  readonly sandbox?: 'auto' | 'off';
}

/** @param open gates that wait */
export function closingLines(
  report: Pick<Ran, 'status' | 'message' | 'fault' | 'dir'>,
  open: readonly AskedGate[],
  options: SameOptions,
): string[] {
  const lines: string[] = [];
  if (report.status === 'waiting' && open.length > 0) {
    for (const gate of open) lines.push(...gateLines(gate, report.dir));
  } else if (report.message !== '') lines.push(...report.message.split('\n').map(plainText));
  if (report.fault?.hint) lines.push(plainText(`  try  ${report.fault.hint}`));
  if (report.status !== 'done' && report.status !== 'refused') {
    const words = [nameOfRun(report.dir), ...sameAgain(options)];
    const resume = `pipeline resume ${words.map(shellWord).join(' ')}`;
    lines.push(`  go on  ${resume}`);
    if (needsRounds(report.fault)) lines.push(`  go on in the same conversation  ${resume} --rounds +10`);
  }
  return lines;
}

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

function sameAgain({ skillsDir, model, record, replay, detect, sandbox }: SameOptions): string[] {
  return [
    ...skillsDir.flatMap((dir) => ['--skills-dir', dir]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(record === undefined ? [] : ['--record', record]),
    ...(replay === undefined ? [] : ['--replay', replay]),
    ...(detect ? [] : ['--no-detect']),
    ...(sandbox === undefined ? [] : ['--sandbox', sandbox]),
  ];
}
