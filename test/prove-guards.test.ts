import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Row } from '../prove/row.js';

const ROOT = new URL('../', import.meta.url);
const ROWS = JSON.parse(readFileSync(new URL('prove/rows.json', ROOT), 'utf8')) as readonly string[];

it('each row of the scoreboard is listed once', () => {
  const files = readdirSync(new URL('prove/rows', ROOT)).map((name) => name.replace('.ts', ''));
  expect([...ROWS].sort()).toEqual(files.sort());
});

describe.each(ROWS)('the row %s', (name) => {
  it('has guards that stand in the source once, so that it can be seen to fail without them', async () => {
    const { row } = (await import(`../prove/rows/${name}.ts`)) as { readonly row: Row };
    expect(row.name).toBe(name);
    for (const { file, find, says } of row.guards) {
      expect(readFileSync(new URL(file, ROOT), 'utf8').split(find), says).toHaveLength(2);
    }
  });
});
