/** Work that is mostly calls of a model: what it is for us, for the floor and for other tools, how long each takes, the ratios. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, printHead, printRow, runNode } from './measure.mjs';
import { manyAgents, NOTES, oneAgent } from './workloads.mjs';

const FLOOR = fileURLToPath(new URL('floor.mjs', import.meta.url));
const ITEMS = 200;
const AT_ONCE = 32;
const THOUGHT_MS = 100;
const IDEAL_MS = Math.ceil(ITEMS / AT_ONCE) * 2 * THOUGHT_MS;
const MOST_MB = 90;

/** By name, scripts of mock.mjs; `peer`: the same in the words of other tools' `drive.mjs`. `once` is what is taken off the others. */
export const WORK = {
  once: { script: 'r=1', peer: 'w1' },
  rounds: { script: 'r=50', peer: 'w2' },
  items: { script: `r=2,d=${THOUGHT_MS}`, peer: 'w3', items: ITEMS, isLong: true },
  text5: { script: 'r=1,n=5000', peer: 'w5s' },
  text20: { script: 'r=1,n=20000', peer: 'w5' },
  arguments5: { script: 'r=1,f=5000,ab=20000', peer: 'w5a' },
  arguments20: { script: 'r=1,f=20000,ab=80000', peer: 'w5b' },
  history: { script: 'r=300', peer: 'w8', resultBytes: NOTES.length, isLong: true },
};

/** A tool: `perform(work)` gives the milliseconds that it took, as far as the tool can tell without its start, and the peak memory. */
export function ourselves(cli, folder, env) {
  const cwd = join(folder, 'model-work');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'notes.txt'), NOTES);
  for (const [name, { script, items, resultBytes }] of Object.entries(WORK)) {
    const plan = items
      ? manyAgents(script, items, AT_ONCE)
      : oneAgent(script, resultBytes ? 'read_file' : 'list_files');
    writeFileSync(join(cwd, `${name}.yaml`), plan);
  }
  return { name: 'ours', perform: (work) => runNode([cli, 'run', `${work}.yaml`], { cwd, env, withPeak: true }) };
}

export function theFloor(baseUrl, cwd, env) {
  return {
    name: 'floor',
    async perform(work) {
      const { script, items = 1, resultBytes = 2 } = WORK[work];
      const args = [FLOOR, baseUrl, `mock:${script}`, resultBytes, items, AT_ONCE].map(String);
      const { stdout, peakMb } = await runNode(args, { cwd, env, withPeak: true });
      return { ms: Number(stdout), peakMb };
    },
  };
}

/**
 * All work by all tools, one after the other in each round, so that a busy machine slows all alike. The start is taken off all of them in
 * the same way: what one round of one agent takes, just before, which is the start of the process as well as the first use of a client and
 * a connection. What is left is the time of the further rounds, items or fragments. The floor and the other tools leave out by themselves
 * what they need before their first line; the command line is measured as a whole process.
 * @returns {Promise<Map<string, Record<string, { ms: number, peakMb: number, gapGrowth: number }>>>} medians by tool and work;
 * work that a tool failed at is missing
 */
export async function measureModelWork(
  tools,
  runsOf,
  mock,
  works = Object.keys(WORK).filter((work) => work !== 'once'),
) {
  const found = new Map(tools.map(({ name }) => [name, Object.fromEntries(works.map((work) => [work, []]))]));
  // Not counted: the first start reads the disk.
  for (const { perform } of tools) await perform('once');
  for (let run = 0; works.some((work) => run < runsOf(work)); run++) {
    for (const work of works.filter((one) => run < runsOf(one))) {
      for (let turn = 0; turn < tools.length; turn++) {
        const { name, perform } = tools[(turn + run) % tools.length];
        const once = await perform('once');
        mock.reset();
        const took = await perform(work);
        if (!once || !took || !isWhole(name, work, mock.seen().requests)) continue;
        const gapGrowth = growthOf(mock.seen().gapsMs);
        found.get(name)[work].push({ ms: took.ms - once.ms, peakMb: took.peakMb, gapGrowth });
      }
    }
  }
  return new Map([...found].map(([name, byWork]) => [name, medians(byWork)]));
}

/** A tool that ended early has not done the work, however fast it was. */
function isWhole(name, work, requests) {
  const { script, items = 1 } = WORK[work];
  const expected = items * Number(/r=(\d+)/.exec(script)[1]);
  if (requests < expected)
    console.error(`${name} asked the model ${requests} times at ${work}, not ${expected}: not counted`);
  return requests >= expected;
}

function medians(byWork) {
  const whole = Object.entries(byWork).filter(([, all]) => all.length > 0);
  const of = (all, key) => median(all.map((one) => one[key]));
  return Object.fromEntries(
    whole.map(([work, all]) => [
      work,
      { ms: of(all, 'ms'), peakMb: of(all, 'peakMb'), gapGrowth: of(all, 'gapGrowth') },
    ]),
  );
}

/** How much longer a client takes between an answer and its next request at the end than at the beginning; the first few warm up. */
function growthOf(gapsMs) {
  const sixth = Math.ceil(gapsMs.length / 6);
  return median(gapsMs.slice(-sixth)) / median(gapsMs.slice(5, 5 + sixth));
}

export function printModelWork(measured) {
  const [ours, floor] = [measured.get('ours'), measured.get('floor')];
  const beside = (work) => ({ ours: ours[work].ms, floor: floor[work].ms });
  const grown = (kind) => ({ ours: ours[`${kind}20`].ms, floor: ours[`${kind}5`].ms });
  printHead('model calls, one round taken off, in ms');
  printRow('50 rounds ÷ node:http', 3, beside('rounds'));
  printRow(`${ITEMS} items, ${AT_ONCE} at once ÷ ideal`, 1.1, { ours: ours.items.ms, floor: IDEAL_MS });
  printRow(`${ITEMS} items, peak MB ÷ ${MOST_MB} MB`, 1, { ours: ours.items.peakMb, floor: MOST_MB });
  for (const [kind, words] of [
    ['text', 'text fragments'],
    ['arguments', 'argument fragments'],
  ]) {
    printRow(`20000 ${words} ÷ node:http`, 3, beside(`${kind}20`));
    printRow(`20000 ${words} ÷ 5000 of them, ours`, 4.4, grown(kind));
  }
  printRow('300 rounds, 2 KB results ÷ node:http', 1.2, beside('history'));
  printRow('… last gaps ÷ first gaps, as many times as there', 1, {
    ours: ours.history.gapGrowth,
    floor: floor.history.gapGrowth,
  });
}
