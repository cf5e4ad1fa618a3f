/** A step as a row for a person: its name on the left, what it used on the right, as much of both as the terminal has room for. */
import { counted, tokenCount, tokens, usd } from '../../core/words.js';
import { endOf, fitted, flushRight, type Line, padded, type Span, span, type Tone, widthOf } from './line.js';
import type { Figures } from './told.js';

export interface Row {
  /** How many steps stand around it, itself among them. */
  readonly depth: number;
  readonly mark: string;
  readonly tone: Tone;
  readonly name: string;
  readonly middle: Line;
  /** Behind the middle: of what is too long the end is shown. */
  readonly words?: string;
  readonly figures: Figures;
  /** That it took, or takes; '' for none. */
  readonly time: string;
}

/** Of the screen that rows are laid out for. */
export interface Layout {
  /** That a line may take. */
  readonly columns: number;
  /** Of the names of the outermost steps, so that what stands behind them is in line. */
  readonly names: number;
}

const MOST_COLUMNS = 120;
const WIDE = 88;
const MEDIUM = 60;
/** Below it no cost is shown. */
const COSTLY = 48;
const SMALL = 34;
const MOST_NAME = 20;
const LEAST_WORDS = 6;
const GAP = 2;

/** @param columns of the terminal; the last one stays free, since some break a line there */
export function layoutOf(columns: number, ids: readonly string[]): Layout {
  const room = Math.max(10, Math.min(columns - 1, MOST_COLUMNS));
  const names = room < MEDIUM ? 0 : Math.min(MOST_NAME, Math.max(8, ...ids.map((id) => id.length)));
  return { columns: room, names };
}

export function rowLine(
  { depth, mark, tone, name, middle, words = '', figures, time }: Row,
  { columns, names }: Layout,
): Line {
  const indent = '  '.repeat(columns < MEDIUM ? Math.min(depth, 2) : depth);
  const left = [span(indent), span(mark, tone), span(' ')];
  const hasMore = middle.length > 0 || words !== '';
  const named = hasMore ? padded(name, names - indent.length + 2) : name;
  const behind = middle.length > 0 ? [span('  '), ...middle] : [];
  const right = figureColumns(figures, time, columns);
  const room = columns - widthOf(right) - (right.length > 0 ? GAP : 0);
  const start = fitted([...left, span(named), ...behind], room);
  const rest = room - widthOf(start) - 2;
  const shown = words === '' || rest < LEAST_WORDS ? start : [...start, span(`  ${endOf(words, rest)}`, 'dim')];
  return right.length === 0 ? shown : [...shown, span(' '.repeat(room - widthOf(shown) + GAP)), ...right];
}

/** In columns of a fixed width, so that they stand below one another. */
function figureColumns(figures: Figures, time: string, columns: number): Span[] {
  const { rounds, tools, tokens: count, usd: dollars } = figures;
  const cost = dollars > 0 ? usd(dollars) : '';
  if (columns < MEDIUM) {
    const brief = [
      ...(count > 0 && columns >= SMALL ? [tokens(count)] : []),
      ...(columns < COSTLY ? [] : [cost]),
      time,
    ];
    const text = brief.filter((part) => part !== '').join('  ');
    return text === '' ? [] : [span(text, 'dim')];
  }
  const often =
    flushRight(rounds > 0 ? counted(rounds, 'round') : '', 10) + flushRight(tools > 0 ? counted(tools, 'tool') : '', 9);
  const use = flushRight(count > 0 ? tokenCount(count) : '', 13) + flushRight(cost, 9) + flushRight(time, 12);
  // What is empty on the left is room for what stands before it.
  const text = `${columns < WIDE ? '' : often}${use}`.trimStart();
  return text === '' ? [] : [span(text, 'dim')];
}
