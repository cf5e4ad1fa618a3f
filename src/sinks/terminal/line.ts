/** Lines of text in colours, measured in the columns of a terminal. */
import { columnsOf, cutTo, wordsIn } from '../../core/columns.js';

export type Tone = 'plain' | 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'info';

/** Its text holds nothing that a terminal would obey. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

const CODES: Readonly<Record<Exclude<Tone, 'plain'>, string>> = {
  dim: '2',
  bold: '1',
  good: '32',
  bad: '31',
  warn: '33',
  info: '36',
};

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

export function widthOf(line: Line): number {
  return line.reduce((columns, { text }) => columns + columnsOf(text), 0);
}

/** As it is written to the terminal. */
export function painted(line: Line, color: boolean): string {
  return line
    .map(({ text, tone }) =>
      color && tone !== 'plain' && text !== '' ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text,
    )
    .join('');
}

/** Cut to so many columns, with an ellipsis. */
export function fitted(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line;
  const kept: Span[] = [];
  let left = columns;
  for (const { text, tone } of line) {
    const width = columnsOf(text);
    if (width < left) kept.push({ text, tone });
    else {
      const cut = left > 0 ? cutTo(width === left ? `${text} ` : text, left) : '';
      kept.push({ text: cut, tone });
      break;
    }
    left -= width;
  }
  return kept;
}

/** The end of the text in so many columns, with an ellipsis before it. */
export function endOf(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const character of [...text].reverse()) {
    width += columnsOf(character);
    if (width > columns) break;
    kept = character + kept;
  }
  return `…${kept}`;
}

/** With blanks behind it. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** With blanks before it. */
export function flushRight(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - columnsOf(text))) + text;
}

/** Broken between words, and within a word that is wider than a line, as texts without blanks are. */
export function brokenAt(text: string, columns: number): string[] {
  const lines: string[] = [];
  let here = '';
  for (const word of wordsIn(text).flatMap((one) => pieces(one, columns))) {
    const joined = here === '' ? word : `${here} ${word}`;
    if (columnsOf(joined) <= columns) here = joined;
    else {
      lines.push(here);
      here = word;
    }
  }
  return [...lines, here];
}

function pieces(word: string, columns: number): string[] {
  if (columnsOf(word) <= columns) return [word];
  const parts: string[] = [];
  let here = '';
  let width = 0;
  for (const character of word) {
    const more = columnsOf(character);
    if (width + more > columns && here !== '') {
      parts.push(here);
      here = '';
      width = 0;
    }
    here += character;
    width += more;
  }
  return [...parts, here];
}
