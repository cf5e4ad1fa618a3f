/** Many runs side by side, a run of many steps, a loop over many items: what they leave open, what they take. */
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Recorded } from '../../src/core/events.js';
import { project } from '../../test/support/project.js';
import type { Figure, Row, Size } from '../row.js';
import { type Spent, type Turns, watchTurns } from '../turns.js';

const SIZES = {
  small: { runs: 2, steps: 200, atOnce: 128, chain: 500, items: 300 },
  large: { runs: 20, steps: 500, atOnce: 200, chain: 10_000, items: 5_000 },
} as const satisfies Record<Size, object>;

const MOST_OVERHEAD_MS = 5;
const MOST_GROWTH_MB = 50;
const MOST_BLOCKED_MS = 50;
const SAMPLE_MS = 50;

export const row: Row = {
  name: 'load',
  promise:
    'load: 20 runs of 500 shell steps side by side, 200 processes at once, one run of 10 000 steps, a loop over 5 000 agents',
  target: `no failure, no warning, no descriptor left, event loop under ${MOST_BLOCKED_MS} ms (p99); large: under ${MOST_OVERHEAD_MS} ms a step, growth up to ${MOST_GROWTH_MB} MB`,
  async prove(size) {
    const { runs, steps, atOnce, chain, items } = SIZES[size];
    const warnings: string[] = [];
    process.on('warning', (warning) => warnings.push(`warned: ${warning.message}`));
    // The first run loads what all share, and is no growth.
    await runOf(shellSteps(10), 10);
    await runOf(agentItems(10), 11);
    const measured = [
      await measure(`${runs} runs of ${steps} steps`, size, () =>
        Promise.all(Array.from({ length: runs }, () => runOf(shellSteps(steps), steps))),
      ),
      await measureBurst(atOnce),
      await measure(`a run of ${chain} steps`, size, async () => [await runOf(setSteps(chain), chain)]),
      await measure(`a loop over ${items} agents`, size, async () => [await runOf(agentItems(items), items + 1)]),
    ];
    return {
      tried: runs * steps + 3 * atOnce + chain + items,
      faults: [...measured.flatMap(({ faults }) => faults), ...warnings],
      also: measured.map(({ also }) => also).join('; '),
    } satisfies Figure;
  },
  guards: [
    {
      says: 'processes that start at once leave the loop its turns',
      file: 'src/process/turn.ts',
      find: 'while (spentMs >= MOST_MS) await turnEnds;',
      replace: '',
    },
    {
      says: 'what a process printed into is closed',
      file: 'src/process/run.ts',
      find: 'for (const log of logs) log.close();',
      replace: '',
    },
    {
      says: 'an agent closes its transcript',
      file: 'src/agent/loop.ts',
      find: 'await rounds.close();',
      replace: '',
    },
  ],
};

interface Ran {
  readonly faults: readonly string[];
  /** Of each step. */
  readonly ms: readonly number[];
}

/** @param expected steps that it must have finished */
async function runOf(pipeline: string, expected: number, onEvent = (_event: Recorded) => {}): Promise<Ran> {
  const at = project({ 'pipeline.yaml': pipeline });
  const ms: number[] = [];
  const write = (event: Recorded) => {
    onEvent(event);
    if (event.type === 'step_done') ms.push(event.ms);
  };
  const ran = await at.run({ sinks: [{ write }], limits: { tokens: 1e9 } });
  const isWhole = ran.exit === 0 && ms.length >= expected;
  return { ms, faults: isWhole ? [] : [`${ran.status}, ${ms.length} of ${expected} steps: ${ran.fault?.message}`] };
}

/** What work takes and leaves, each figure against its bound. */
async function measure(name: string, size: Size, work: () => Promise<readonly Ran[]>) {
  const open = await descriptors();
  const before = await residentMb();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, megabytes(process.memoryUsage().rss));
  }, SAMPLE_MS);
  const endWatch = watchTurns();
  const ran = await work();
  const { whole, p99 } = endWatch();
  clearInterval(sampling);
  const kept = (await residentMb()) - before;
  const left = (await descriptors()).filter((one) => !open.includes(one));
  const ms = ran.flatMap((one) => one.ms).sort((a, b) => a - b);
  const eachMs = whole.ownMs / ms.length;
  const timed = [
    ...(eachMs > MOST_OVERHEAD_MS ? [`${eachMs.toFixed(1)} ms a step`] : []),
    ...blocked(p99.ownMs),
    ...(kept > MOST_GROWTH_MB ? [`${kept.toFixed(0)} MB more than before`] : []),
  ];
  const faults = [
    ...ran.flatMap((one) => one.faults),
    ...(left.length > 0 ? [`left open: ${left.length} descriptors, such as ${left[0]}`] : []),
    // A small run is over before its figures mean something, on a machine that may be busy.
    ...(size === 'large' ? timed : []),
  ].map((fault) => `${name}: ${fault}`);
  const also = `${name}: ${eachMs.toFixed(1)} ms a step, loop p99 ${ofLoop(p99)}, growth ${kept.toFixed(0)} MB (peak ${(peak - before).toFixed(0)})`;
  return { faults, also };
}

/** Many processes that could all start in one turn of the loop. Judged by what a turn works, which a busy machine does not stretch. */
async function measureBurst(atOnce: number) {
  const steps = 3 * atOnce;
  let endWatch: (() => Turns) | undefined;
  const { faults } = await runOf(shellSteps(steps, atOnce), steps, ({ type }) => {
    if (type === 'step_started') endWatch ??= watchTurns();
  });
  const p99 = endWatch?.().p99 ?? NOTHING;
  const name = `${atOnce} processes at once`;
  return {
    faults: [...faults, ...blocked(p99.ranMs)].map((fault) => `${name}: ${fault}`),
    also: `${name}: loop p99 ${ofLoop(p99)}`,
  };
}

const NOTHING = { tookMs: 0, ownMs: 0, ranMs: 0 };

const blocked = (ms: number) =>
  ms > MOST_BLOCKED_MS ? [`the event loop was blocked for ${ms.toFixed(0)} ms (p99)`] : [];

/** The three differ where other programs took the processor. */
const ofLoop = ({ ownMs, tookMs, ranMs }: Spent) =>
  `${ownMs.toFixed(0)} ms (by the clock ${tookMs.toFixed(0)}, on a processor ${ranMs.toFixed(0)})`;

const megabytes = (bytes: number) => bytes / 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** After what is due has been done, without garbage. */
async function residentMb(): Promise<number> {
  await settled();
  return megabytes(process.memoryUsage().rss);
}

/** Open ones, by what they are; those of the event loop and of this look aside. */
async function descriptors(): Promise<string[]> {
  await settled();
  return readdirSync('/proc/self/fd');
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const HEAD = (name: string, atOnce = 4) => `version: 1\nname: ${name}\nlimits: { max_parallel: ${atOnce} }\nsteps:\n`;

const many = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join('');

/** Real processes. */
const shellSteps = (count: number, atOnce = 4) =>
  HEAD('shells', atOnce) +
  many(count, (index) => `  - { id: s${index}, needs: [], shell: { command: [echo, s${index}] } }\n`);

/** Each reads the one before. */
const setSteps = (count: number) =>
  HEAD('chain') +
  many(count, (index) => {
    const before = index === 0 ? '0' : `steps.s${index - 1}.output.n`;
    return `  - { id: s${index}, set: { n: '\${{ ${before} + 1 }}' } }\n`;
  });

const agentItems = (count: number) =>
  `${HEAD('agents')}  - id: all
    foreach: [${many(count, (index) => `"${index}", `)}]
    max_items: ${count}
    max_parallel: 32
    agent: { prompt: 'Say \${{ item }}.' }
    output: { type: object, properties: { said: { type: string, maxLength: 40 } }, required: [said], additionalProperties: false }
`;
