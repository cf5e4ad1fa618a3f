/** transcript.md of a run folder: a line for each thing that the driver did, in the order of the rounds. */
import fs from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../core/plain-text.js';

const NAME = 'transcript.md';
const LINE = /^(\d+)\. /;

/** Adds a line to a round, from 1; a round that is done again takes the place of its lines and of all behind them. */
export function tell(runDir: string, round: number, part: 'next' | 'work', text: string): void {
  const file = join(runDir, NAME);
  const line = `${round}. ${oneLine(text)}\n`;
  const known = linesIn(file);
  const kept = part === 'next' ? known.filter((each) => roundOf(each) < round) : known;
  if (kept.length === known.length) fs.appendFileSync(file, line, { mode: 0o600 });
  else fs.writeFileSync(file, [...kept, line].join(''), { mode: 0o600 });
}

export function toldIn(runDir: string): string {
  return linesIn(join(runDir, NAME)).join('').trimEnd();
}

const roundOf = (line: string) => Number(LINE.exec(line)?.[1] ?? 0);

/** With their line breaks. */
function linesIn(file: string): string[] {
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, 'utf8').match(/[^\n]*\n/g) ?? [];
}
