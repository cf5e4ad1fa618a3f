/** A terminal of so many columns and rows, as far as the progress of a run uses one: what stands on it after all that was written. */
import { columnsOf } from '../../src/core/columns.js';
import type { Screen } from '../../src/sinks/terminal/screen.js';

export interface VirtualScreen extends Screen {
  /** Each write, as it came. */
  readonly written: readonly string[];
  isCursorShown(): boolean;
  /** All rows, those that were scrolled out as well. */
  lines(): string[];
  /** Breaks long lines anew, as most terminals do. */
  resize(columns: number): void;
}

const TOKEN = new RegExp(`${String.fromCharCode(27)}\\[\\??([\\d;]*)([A-Za-z])|[\\s\\S]`, 'gu');

interface Row {
  /** A character of two columns takes two cells, the second ''. */
  cells: string[];
  /** It begins in the row before. */
  readonly goesOn: boolean;
}

export function virtualScreen(size: { readonly columns: number; readonly rows: number }): VirtualScreen {
  let { columns } = size;
  let rows: Row[] = [{ cells: [], goesOn: false }];
  let at = 0;
  let column = 0;
  let isCursorShown = true;
  const written: string[] = [];

  const here = () => rows[at] as Row;
  const down = (goesOn: boolean) => {
    at++;
    column = 0;
    if (rows[at] === undefined || goesOn) rows[at] = { cells: [], goesOn };
  };
  const put = (character: string) => {
    const width = columnsOf(character);
    if (column + width > columns) down(true);
    const { cells } = here();
    while (cells.length < column) cells.push(' ');
    cells.splice(column, width, character, ...Array.from({ length: width - 1 }, () => ''));
    column += width;
  };
  const obey = (letter: string, count: number) => {
    if (letter === 'A') at = Math.max(0, rows.length - size.rows, at - count);
    if (letter === 'K' || letter === 'J') here().cells.length = Math.min(column, here().cells.length);
    if (letter === 'J') rows.length = at + 1;
  };
  return {
    live: true,
    color: false,
    columns: () => columns,
    rows: () => size.rows,
    cursor: (shown) => {
      isCursorShown = shown;
    },
    isCursorShown: () => isCursorShown,
    written,
    write(text) {
      written.push(text);
      for (const [token, count = '', letter] of text.matchAll(TOKEN)) {
        if (letter !== undefined) obey(letter, Number(count || 1));
        else if (token === '\n') down(false);
        else if (token === '\r') column = 0;
        else put(token);
      }
    },
    lines() {
      const texts = rows.map(({ cells }) => cells.join('').trimEnd());
      while (texts.at(-1) === '') texts.pop();
      return texts;
    },
    resize(to) {
      const before = rows;
      columns = to;
      rows = [];
      at = -1;
      for (const { cells, goesOn } of before) {
        if (!goesOn) down(false);
        else column = here().cells.length;
        for (const cell of cells) if (cell !== '') put(cell);
      }
    },
  };
}
