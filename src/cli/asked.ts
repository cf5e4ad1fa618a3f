/** What a gate asks, as far as a person reads it in passing, with what it was answered. */
import { cutTo } from '../core/columns.js';
import { plainLines, plainText } from '../core/plain-text.js';
import { timeText } from '../core/words.js';
import type { OpenGate } from '../engine/open-gates.js';
import { here } from './output.js';

const MOST_LINES = 20;
/** Of one line. */
const MOST_COLUMNS = 400;

/** @param file that holds the whole question */
export function askedLines(ask: string, file: string): string[] {
  const lines = plainLines(ask).trimEnd().split('\n');
  const shown = lines.slice(0, MOST_LINES).map((line) => cutTo(line, MOST_COLUMNS));
  const more = lines.length - shown.length;
  const isWhole = shown.every((line, at) => line === lines[at]) && more === 0;
  if (isWhole) return shown;
  return [...shown, `… ${more > 0 ? `${more} more ${more === 1 ? 'line' : 'lines'}: ` : 'the whole: '}${here(file)}`];
}

/** `approve, by ada at 2026-01-05 10:12:00: looks good`. */
export function answeredText({ choice, comment, by, at }: NonNullable<OpenGate['answered']>): string {
  const why = comment === '' ? '' : `: ${comment}`;
  return plainText(`${choice}, by ${by} at ${timeText(at)}${why}`);
}

/** Of a step's own JSON, and of the run's. */
export function askedJson({ path, question, answered }: OpenGate): unknown {
  const { title, ask, choices, reject } = question;
  return { step: path, title, ask, choices, reject, answered: answered ? withoutKey(answered) : null };
}

function withoutKey({ choice, comment, by, at }: NonNullable<OpenGate['answered']>): unknown {
  return { choice, comment, by, at };
}
