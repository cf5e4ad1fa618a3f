/** Readers of what others wrote, over real inputs that are damaged along their own pieces, each with a number that makes it again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import matter from 'gray-matter';
import { calls } from '../fuzz/calls.js';
import { frontMatter, skillFiles, wasExecuted } from '../fuzz/front-matter.js';
import { journal } from '../fuzz/journal.js';
import { patch } from '../fuzz/patch.js';
import { pipeline } from '../fuzz/pipeline.js';
import { sse } from '../fuzz/sse.js';
import type { Attempt, Target } from '../fuzz/target.js';
import { randomFrom } from '../random.js';
import type { Figure, Ground, Row, Size } from '../row.js';
import { notingUncaught } from '../uncaught.js';

const TARGETS: readonly Target[] = [sse, calls, frontMatter, pipeline, journal, patch];
/** For each target, at large size. */
const TIME_MS = 60_000;
const INPUT_LIMIT_MS = 1_000;
const MEMORY_LIMIT_MB = 512;
/** Of one target: more of them say nothing new. */
const MOST_FAULTS = 10;
const SHOWN_CHARACTERS = 300;

interface Tally {
  tried: number;
  slowestMs: number;
  readonly faults: string[];
}

export const row: Row = {
  name: 'fuzz',
  promise: `fuzz: ${TARGETS.map(({ name }) => name).join(', ')}`,
  target: '0 crashes, 0 over 1 s, RSS < 512 MB',
  prove: (size, ground) => notingUncaught(() => fuzzed(size, ground)),
  bare: {
    of: 'gray-matter over the same front matter: executed code or threw',
    async prove(size, { seed }) {
      const inputOf = skillFiles();
      const faults: string[] = [];
      const tried = frontMatter.inputs * (size === 'large' ? 10 : 1);
      let executed = 0;
      for (let n = 0; n < tried; n++) {
        const text = Buffer.from(inputOf(randomOf(frontMatter, seed, n))).toString();
        const thrown = thrownBy(() => matter(text, {}));
        const ran = wasExecuted();
        if (ran) executed++;
        if (ran || thrown !== undefined) faults.push(`input ${n}: ${ran ? 'its code was executed' : thrown}`);
      }
      return { tried, faults, also: `${executed} of them by executing code` };
    },
  },
  guards: [
    {
      says: 'a line of the journal has its checksum',
      file: 'src/engine/journal-line.ts',
      find: 'line.slice(cut + 8, -2) !== checksum(line.slice(0, cut)) ||',
      replace: '',
    },
    {
      says: 'a passage that occurs twice is not replaced',
      file: 'src/tools/patch-text.ts',
      find: 'if (second >= 0) {',
      replace: 'if (second === -2) {',
    },
    {
      says: 'a call has a name',
      file: 'src/providers/calls.ts',
      find: "if (call.name === '') throw",
      replace: "if (call.name === '\\0') throw",
    },
  ],
};

async function fuzzed(size: Size, ground: Ground): Promise<Figure> {
  const tallies: Tally[] = [];
  for (const target of TARGETS) tallies.push(await tallyOf(target, size, ground));
  const rssMb = Math.round(process.resourceUsage().maxRSS / 1024);
  const tooLarge = rssMb < MEMORY_LIMIT_MB ? [] : [`${rssMb} MB of memory`];
  const counts = TARGETS.map(({ name }, index) => `${name} ${tallies[index]?.tried}`);
  const slowestMs = Math.round(Math.max(...tallies.map((tally) => tally.slowestMs)));
  return {
    tried: tallies.reduce((sum, tally) => sum + tally.tried, 0),
    faults: [...tallies.flatMap(({ faults }) => faults), ...tooLarge],
    also: `${counts.join(', ')}; the slowest ${slowestMs} ms, ${rssMb} MB`,
  };
}

async function tallyOf(target: Target, size: Size, { dir, seed }: Ground): Promise<Tally> {
  const place = join(dir, target.name.replace(/\W/g, '-'));
  mkdirSync(place);
  const attemptOf = await target.open(place);
  const tally: Tally = { tried: 0, slowestMs: 0, faults: [] };
  const endsAt = performance.now() + TIME_MS;
  const goesOn = () => (size === 'large' ? performance.now() < endsAt : tally.tried < target.inputs);
  while (goesOn() && tally.faults.length < MOST_FAULTS) {
    const n = tally.tried++;
    // All that is left of an input that never ends.
    if (n % 100 === 0) process.stderr.write(`${target.name}, from input ${n}\n`);
    const attempt = attemptOf(randomOf(target, seed, n));
    const { wrong, tookMs } = await judged(attempt);
    tally.slowestMs = Math.max(tally.slowestMs, tookMs);
    const fault = wrong ?? (tookMs > INPUT_LIMIT_MS ? `it took ${Math.round(tookMs)} ms` : undefined);
    if (fault) tally.faults.push(`${target.name}, input ${n}: ${fault}\n${shown(attempt)}`);
  }
  return tally;
}

/** @returns with the time of the processor, which a busy machine does not make longer */
async function judged({ read }: Attempt): Promise<{ readonly wrong: string | undefined; readonly tookMs: number }> {
  const before = process.cpuUsage();
  const wrong = await (async () => read())().catch(
    (error: unknown) => `${error instanceof Error ? error.stack : error}`,
  );
  const { user, system } = process.cpuUsage(before);
  return { wrong, tookMs: (user + system) / 1_000 };
}

function randomOf({ name }: Target, seed: number, n: number): () => number {
  return randomFrom(seed * 1_000_003 + n * 101 + name.length);
}

function shown({ input }: Attempt): string {
  const text = typeof input === 'string' ? input : Buffer.from(input).toString();
  return `${text.length} characters: ${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))}`;
}

function thrownBy(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return String(error);
  }
}
