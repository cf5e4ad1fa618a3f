/** Columns of text, straight also with wide characters. */
import { columnsOf } from '../core/columns.js';

export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell));
  return rows
    .map((row) =>
      row
        .map((cell, at) => pad(cell, widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pad(cell: string, columns: number): string {
  return cell + ' '.repeat(Math.max(0, columns - columnsOf(cell)));
}
