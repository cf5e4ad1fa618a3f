/** Draws over the last lines of a terminal: what is said for good goes above them. One write a frame. */
import { type Line, painted, widthOf } from './line.js';
import type { Screen } from './screen.js';

export interface Canvas {
  /** What was said since the last frame, then the lines that the next frame draws over. */
  frame(said: readonly Line[], lines: readonly Line[]): void;
  isDrawn(): boolean;
  /** Takes the drawn lines away and gives the terminal back. */
  clear(): void;
}

/** A terminal that knows it shows all of a frame at once; others pass over it. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

export function createCanvas(screen: Screen): Canvas {
  /** Columns of each drawn line. */
  let drawn: readonly number[] = [];
  let shown = '';
  let columnsThen = 0;

  /** A terminal that became narrower has broken what was drawn into more rows. */
  const rowsDrawn = () => {
    const columns = Math.max(1, screen.columns());
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return Math.min(rows, Math.max(0, screen.rows() - 1));
  };
  const up = () => {
    const rows = rowsDrawn();
    return rows > 0 ? `\r\u001b[${rows}A` : '';
  };
  return {
    frame(said, lines) {
      const above = said.map((line) => `${painted(line, screen.color)}\n`).join('');
      if (!screen.live) {
        if (above !== '') screen.write(above);
        return;
      }
      const below = lines.map((line) => `${painted(line, screen.color)}${REST_OF_LINE}\n`).join('');
      const isResized = screen.columns() !== columnsThen;
      if (above === '' && below === shown && !isResized) return;
      if (drawn.length === 0 && lines.length > 0) screen.cursor(false);
      // Rows that were broken stay marked as such, and are joined by the next resize, unless they are cleared as a whole.
      const start = above === '' && !isResized ? up() : `${up()}${REST_OF_SCREEN}`;
      screen.write(`${BEGIN}${start}${above}${below}${REST_OF_SCREEN}${END}`);
      if (lines.length === 0 && drawn.length > 0) screen.cursor(true);
      columnsThen = screen.columns();
      drawn = lines.map(widthOf);
      shown = below;
    },
    isDrawn: () => drawn.length > 0,
    clear() {
      if (drawn.length === 0) return;
      screen.write(`${up()}${REST_OF_SCREEN}`);
      screen.cursor(true);
      drawn = [];
      shown = '';
    },
  };
}
