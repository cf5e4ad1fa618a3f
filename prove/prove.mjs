/**
 * Prints the scoreboard: what is promised, how often it was tried, what came out. Exits with 1 when a promise was broken.
 * Usage: [--large] [--beside] [--only <row>]... [--mutate [<row>]...] [--seed <n>] [--markdown <file>]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleRow, readRow, removeMade, root } from './bundle-row.mjs';
import { asMarkdown, printMutation, printRow } from './print.mjs';
import { runRow } from './run-row.mjs';

/** By the names of their files, in the order in which they are shown. */
const ROWS = JSON.parse(readFileSync(join(root, 'prove/rows.json'), 'utf8'));

const { values: options, positionals } = readOptions({
  options: {
    large: { type: 'boolean', default: false },
    beside: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    mutate: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    markdown: { type: 'string' },
  },
  allowPositionals: true,
});
function readOptions(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(
      `${error.message}\n  try  [--large] [--beside] [--only <row>]... [--mutate [<row>]...] [--seed <n>] [--markdown <file>]`,
    );
    process.exit(2);
  }
}

const asked = [...options.only, ...positionals];
const unknown = asked.filter((name) => !ROWS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}.\n  try  one of ${ROWS.join(', ')}`);
  process.exit(2);
}
if (!existsSync(join(root, 'dist/cli.js'))) {
  console.error('dist/cli.js is missing.\n  try  npm run build');
  process.exit(2);
}

const size = options.large ? 'large' : 'small';
const seed = Number(options.seed);
const names = asked.length > 0 ? ROWS.filter((name) => asked.includes(name)) : ROWS;
process.on('exit', removeMade);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const broken = options.mutate ? await mutate() : await prove();
process.exitCode = broken > 0 ? 1 : 0;

/** @returns how many rows did not meet their target */
async function prove() {
  const found = [];
  for (const name of names) {
    const row = await readRow(name);
    const bundled = await bundleRow(name);
    const figure = await inFolder((dir) => runRow(bundled, { what: 'row', size, seed, dir }));
    const bare =
      row.bare &&
      (options.large || options.beside) &&
      (await inFolder((dir) => runRow(bundled, { what: 'bare', size, seed, dir })));
    found.push({ row, figure, bare });
    printRow(row, figure, bare);
  }
  if (options.markdown) writeFileSync(options.markdown, asMarkdown(found, size));
  return found.filter(({ figure }) => figure.faults.length > 0).length;
}

/** @returns how many guards can be taken out without their row saying anything; a row that fails with all of them counts as one */
async function mutate() {
  let unseen = 0;
  for (const name of names) {
    const row = await readRow(name);
    const whole = await bundleRow(name);
    const figure = await inFolder((dir) => runRow(whole, { what: 'row', size, seed, dir }));
    // One that fails anyway shows nothing of its guards.
    if (figure.faults.length > 0) {
      printRow(row, figure);
      unseen++;
      continue;
    }
    for (const guard of row.guards) {
      const bundled = await bundleRow(name, guard);
      const figure = await inFolder((dir) => runRow(bundled, { what: 'row', size, seed, dir }));
      printMutation(row, guard, figure);
      if (figure.faults.length === 0) unseen++;
    }
  }
  return unseen;
}

async function inFolder(work) {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-prove-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
