/** Columns of text, straight also with wide characters. */
import { columnsOf } from '../core/columns.js';
import { hanging } from './wrapped.js';

/** @param columns of the terminal, which breaks the last cell of a row between words; undefined to leave rows whole */
export function table(rows: readonly (readonly string[])[], columns?: number): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell));
  const hang = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  return rows
    .map((row) => {
      const line = row
        .map((cell, at) => pad(cell, widths[at] ?? 0))
        .join('  ')
        .trimEnd();
      return hanging(line, columns, hang);
    })
    .join('\n');
}

function pad(cell: string, columns: number): string {
  return cell + ' '.repeat(Math.max(0, columns - columnsOf(cell)));
}
