/** Other tools beside ours: the adapters of a folder with a `drive.mjs` that runs `peers/<name>.mjs` and prints its time as `inMs`. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runNode } from './measure.mjs';
import { WORK } from './model-work.mjs';

/** @returns tools as `measureModelWork` takes them; one that fails at some work says so once, and has no figure for it */
export function peersOf(folder, baseUrl, env) {
  const cwd = resolve(folder);
  for (const needed of ['drive.mjs', 'peers', 'node_modules']) {
    if (existsSync(join(cwd, needed))) continue;
    throw new Error(
      `${join(cwd, needed)} is missing. The folder needs drive.mjs, peers/*.mjs, and its packages installed.`,
    );
  }
  const names = readdirSync(join(cwd, 'peers'))
    .filter((file) => file.endsWith('.mjs') && !file.startsWith('_'))
    .map((file) => file.slice(0, -'.mjs'.length));
  return names.map((name) => ({ name, perform: performer(name, baseUrl, { cwd, env, withPeak: true }) }));
}

function performer(name, baseUrl, place) {
  const failed = new Set();
  return async (work) => {
    if (failed.has(work)) return undefined;
    try {
      const { stdout, peakMb } = await runNode(['drive.mjs', name, WORK[work].peer, baseUrl], place);
      return { ms: JSON.parse(stdout.trim().split('\n').at(-1)).inMs, peakMb };
    } catch (error) {
      failed.add(work);
      console.error(`${name} failed at ${work}: ${error.message}`);
      return undefined;
    }
  };
}

/** Milliseconds of each work, then the peak of the items and the growth of the gaps; fastest at 50 rounds first. */
export function printPeers(measured) {
  const works = Object.keys(WORK).filter((work) => work !== 'once');
  const rows = [...measured].sort(([, a], [, b]) => (a.rounds?.ms ?? Infinity) - (b.rounds?.ms ?? Infinity));
  const cell = (value, digits = 0) => (value === undefined ? '–' : value.toFixed(digits)).padStart(12);
  console.log(`${'ms'.padEnd(18)}${[...works, 'items MB', 'gap growth'].map((text) => text.padStart(12)).join('')}`);
  for (const [name, found] of rows) {
    const times = works.map((work) => cell(found[work]?.ms)).join('');
    console.log(`${name.padEnd(18)}${times}${cell(found.items?.peakMb)}${cell(found.history?.gapGrowth, 1)}`);
  }
}
