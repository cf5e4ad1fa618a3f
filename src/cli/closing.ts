/** The last lines of a run: what it said, what to do about it, how to go on. */
import { basename, dirname } from 'node:path';
import { type AskedGate, approveLine } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import { shellWord } from '../core/shell-word.js';
import type { RunReport } from '../request.js';

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
}

/** @param open gates that wait */
export function closingLines(
  report: Pick<Ran, 'status' | 'message' | 'fault' | 'dir'>,
  open: readonly AskedGate[],
  options: SameOptions,
): string[] {
  const lines: string[] = [];
  if (report.status === 'waiting' && open.length > 0) {
    lines.push(...open.map((gate) => `  answer ${approveLine(nameOfRun(report.dir), gate)}`));
  } else if (report.message !== '') lines.push(...report.message.split('\n').map(plainText));
  if (report.fault?.hint) lines.push(plainText(`  try  ${report.fault.hint}`));
  if (report.status !== 'done' && report.status !== 'refused') {
    const words = [nameOfRun(report.dir), ...sameAgain(options)];
    lines.push(`  go on  pipeline resume ${words.map(shellWord).join(' ')}`);
  }
  return lines;
}

function sameAgain({ skillsDir, model, record, replay, detect }: SameOptions): string[] {
  return [
    ...skillsDir.flatMap((dir) => ['--skills-dir', dir]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(record === undefined ? [] : ['--record', record]),
    ...(replay === undefined ? [] : ['--replay', replay]),
    ...(detect ? [] : ['--no-detect']),
  ];
}

/** `<skill>/<slug>`, as commands take it. */
function nameOfRun(dir: string): string {
  return `${basename(dirname(dir))}/${basename(dir)}`;
}
