/** The process in which a row is tried: prints its figure as one line of JSON. A row that hangs, crashes or takes too much memory harms nothing else. */
import { cleanUp } from './at-end.js';
import type { Figure, Ground, Row, Size } from './row.js';

export interface Order extends Ground {
  readonly what: 'row' | 'bare';
  readonly size: Size;
}

export async function perform(row: Row): Promise<void> {
  const { what, size, ...ground } = JSON.parse(process.argv[2] ?? '') as Order;
  const tried = what === 'bare' ? row.bare : row;
  if (!tried) throw new Error(`${row.name} has no bare library beside it`);
  const figure: Figure = await tried.prove(size, ground).finally(cleanUp);
  process.stdout.write(`${JSON.stringify(figure)}\n`, () => process.exit());
}
