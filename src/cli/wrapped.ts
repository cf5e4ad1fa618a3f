/** Text broken between words, for a screen of so many columns. */
import { columnsOf, wordsIn } from '../core/columns.js';

/** Lines that fit stay as they are; a broken one goes on under its own beginning. */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');
}

/** One line; what does not fit goes on behind so many blanks. Undefined columns: it stays whole. */
export function hanging(line: string, columns: number | undefined, hang: number): string {
  if (columns === undefined || columnsOf(line) <= columns) return line;
  return wrapLine(line, columns, ' '.repeat(hang < columns / 2 ? hang : 4));
}

function wrapLine(line: string, columns: number, under?: string): string {
  if (columnsOf(line) <= columns) return line;
  const start = /^\s*(?:[-*+>]\s+|\d+[.)]\s+)?/.exec(line)?.[0] ?? '';
  const margin = under ?? (start.length < columns / 2 ? ' '.repeat(start.length) : '');
  const lines: string[] = [];
  let here = start;
  let width = columnsOf(start);
  let isEmpty = true;
  for (const word of wordsIn(line.slice(start.length))) {
    const more = columnsOf(word);
    if (!isEmpty && width + 1 + more > columns) {
      lines.push(here);
      here = margin;
      width = margin.length;
      isEmpty = true;
    }
    here += isEmpty ? word : ` ${word}`;
    width += more + (isEmpty ? 0 : 1);
    isEmpty = false;
  }
  return [...lines, here].join('\n');
}
