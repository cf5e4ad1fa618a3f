/** Measures the built command line beside the floor under it and prints ratios; a slow one fails nothing. Usage: [--small] [--steps n] [--peers folder] [--runs n] */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, printHead, printRow, runNode } from './measure.mjs';
import { startMock } from './mock.mjs';
import { measureModelWork, ourselves, printModelWork, theFloor, WORK } from './model-work.mjs';
import { peersOf, printPeers } from './peers.mjs';
import { largePlan, oneAgent, shellSteps } from './workloads.mjs';

const { values: options } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    steps: { type: 'string' },
    cli: { type: 'string' },
    peers: { type: 'string' },
    runs: { type: 'string' },
  },
});
const startRuns = options.small ? 7 : 21;
const modelRuns = Number(options.runs ?? (options.small || options.peers !== undefined ? 3 : 5));
const shellRuns = options.small ? 1 : 5;
const steps = Number(options.steps ?? (options.small ? 100 : 500));

const cli = options.cli ?? fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const loop = fileURLToPath(new URL('execa-loop.mjs', import.meta.url));
if (!existsSync(cli)) {
  console.error(`${cli} is missing. Build it first: npm run build`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'pipeline-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'one-agent.yaml'), oneAgent('r=1'));
for (const atOnce of [1, 8]) writeFileSync(join(folder, `shell-${atOnce}.yaml`), shellSteps(steps, atOnce));
mkdirSync(join(folder, 'large/schemas'), { recursive: true });
for (const [name, text] of Object.entries(largePlan(2_000, 200))) writeFileSync(join(folder, 'large', name), text);

const mock = await startMock();
const env = { ...process.env, HOME: folder, OPENAI_BASE_URL: mock.baseUrl, OPENAI_API_KEY: 'k' };

const node = (...args) => runNode(args, { cwd: folder, env });

const emptyMs = async () => (await node('-e', '0')).ms;

async function firstByteMs() {
  mock.reset();
  const { begunMs } = await node(cli, 'run', 'one-agent.yaml');
  const at = mock.seen().firstRequestAt;
  if (at === undefined) throw new Error('the model server got no request');
  return at - begunMs;
}

/** Of a step, start-up of Node taken off. */
async function stepMs(atOnce) {
  const { ms } = await node(cli, 'run', `shell-${atOnce}.yaml`);
  return (ms - (await emptyMs())) / steps;
}

const loopMs = async (atOnce) => Number((await node(loop, String(steps), String(atOnce))).stdout);

/** One of each per round, so that a busy machine slows both alike. */
async function compare(runs, ours, floor) {
  const found = { ours: [], floor: [] };
  for (let run = 0; run < runs; run++) {
    found.floor.push(await floor());
    found.ours.push(await ours());
  }
  return { ours: median(found.ours), floor: median(found.floor) };
}

/** Start-up, loading, shell steps. */
async function measureProcesses() {
  printHead('medians in ms');
  // Not counted: the first start reads the disk.
  await node(cli, '--version');
  await firstByteMs();
  printRow(
    'pipeline --version ÷ node -e 0',
    1.5,
    await compare(startRuns, async () => (await node(cli, '--version')).ms, emptyMs),
  );
  printRow('first request byte ÷ node -e 0', 2.2, await compare(startRuns, firstByteMs, emptyMs));
  printRow(
    'check of 2000 steps, 200 schemas ÷ node -e 0',
    20,
    await compare(options.small ? 3 : 7, async () => (await node(cli, 'check', 'large/pipeline.yaml')).ms, emptyMs),
  );
  for (const [atOnce, words] of [
    [1, 'one at a time'],
    [8, 'eight at a time'],
  ]) {
    const pair = await compare(
      shellRuns,
      () => stepMs(atOnce),
      () => loopMs(atOnce),
    );
    printRow(`shell step ÷ execa loop, ${words}`, 1.6, pair);
  }
}

async function measureModelCalls() {
  const tools = [ourselves(cli, folder, env), theFloor(mock.baseUrl, folder, env)];
  const peers = options.peers === undefined ? [] : peersOf(options.peers, mock.baseUrl, env);
  const runsOf = (work) => (options.small && WORK[work].isLong ? 1 : modelRuns);
  const measured = await measureModelWork([...tools, ...peers], runsOf, mock);
  printModelWork(measured);
  if (peers.length > 0) printPeers(measured);
}

const load = loadavg()[0] ?? 0;
console.log(
  `node ${process.version}, ${startRuns} starts, ${shellRuns} × ${steps} shell steps, ${modelRuns} × model calls, load ${load.toFixed(1)}`,
);
try {
  if (options.peers === undefined) await measureProcesses();
  await measureModelCalls();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  mock.close();
}
