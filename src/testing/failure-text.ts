/** What is not as a test expects, as a few lines: the values where they are short, else the lines that differ. */

import { lineChanges } from '../core/compare-text.js';
import type { Json } from '../core/json.js';
import type { Failure } from './judge.js';

const SHORT = 60;
const MOST_LINES = 8;
/** With its margin it fits 80 columns. */
const WIDEST = 70;

export function failureLines({ what, expected, actual, absent, isWish }: Failure): string[] {
  if (what === 'because') return textOf(actual ?? '').split('\n');
  if (isClaim(what)) return claimLines(what, expected, actual);
  const [wanted, given] = [textOf(expected), actual === undefined ? nothing(absent) : textOf(actual)];
  const isShort = [wanted, given].every((text) => text.length <= SHORT && !text.includes('\n'));
  if (isShort || isWish) return [what, `  expected  ${clipped(wanted)}`, `  actual    ${clipped(given)}`];
  const changes = lineChanges(blockOf(expected), actual === undefined ? nothing(absent) : blockOf(actual));
  const lines = changes
    .slice(0, MOST_LINES)
    .map(({ type, text }) => `  ${type === 'removed' ? '-' : '+'} ${clipped(text)}`);
  const rest = changes.length - lines.length;
  return [`${what}  (- expected, + actual)`, ...lines, ...(rest > 0 ? [`  and ${rest} more lines`] : [])];
}

function isClaim(what: string): boolean {
  return what === 'always' || what === 'never';
}

/** What is claimed, and what became of it: both are words. */
function claimLines(holds: string, claim: Json, came: Json | undefined): string[] {
  return [
    `${holds}  ${clipped(textOf(claim))}`,
    ...textOf(came ?? '')
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function nothing(absent: string | undefined): string {
  return absent === undefined ? 'nothing' : `nothing: ${absent}`;
}

function textOf(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function blockOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function clipped(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}
