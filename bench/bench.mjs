/** Measures the built command line beside the floor under it and prints ratios; a slow one fails nothing. Usage: [--small] [--steps n] */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { epochMs, startMock } from './mock.mjs';
import { largePlan, ONE_AGENT, shellSteps } from './workloads.mjs';

const { values: options } = parseArgs({
  options: { small: { type: 'boolean', default: false }, steps: { type: 'string' }, cli: { type: 'string' } },
});
const startRuns = options.small ? 7 : 21;
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
writeFileSync(join(folder, 'one-agent.yaml'), ONE_AGENT);
for (const atOnce of [1, 8]) writeFileSync(join(folder, `shell-${atOnce}.yaml`), shellSteps(steps, atOnce));
mkdirSync(join(folder, 'large/schemas'), { recursive: true });
for (const [name, text] of Object.entries(largePlan(2_000, 200))) writeFileSync(join(folder, 'large', name), text);

const mock = await startMock();
const env = { ...process.env, HOME: folder, OPENAI_BASE_URL: mock.baseUrl, OPENAI_API_KEY: 'k' };

/** Runs Node with these arguments to its end; throws when it fails. */
function node(...args) {
  return new Promise((resolve, reject) => {
    const begunMs = epochMs();
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve({ begunMs, ms: epochMs() - begunMs, stdout });
      else reject(new Error(`node ${args.join(' ')} exited with ${code}: ${stderr.slice(-500)}`));
    });
  });
}

const emptyMs = async () => (await node('-e', '0')).ms;

async function firstByteMs() {
  mock.reset();
  const { begunMs } = await node(cli, 'run', 'one-agent.yaml');
  const at = mock.firstRequestAt();
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

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function print(name, target, { ours, floor }) {
  const ratio = ours / floor;
  const columns = [ours.toFixed(1), floor.toFixed(1), ratio.toFixed(2), target.toFixed(1)].map((text) =>
    text.padStart(8),
  );
  console.log(`${name.padEnd(44)}${columns.join('')}  ${ratio <= target ? 'within' : 'above'}`);
}

const load = loadavg()[0] ?? 0;
console.log(
  `node ${process.version}, ${startRuns} starts, ${shellRuns} × ${steps} shell steps, load ${load.toFixed(1)}`,
);
console.log(
  `${'medians in ms'.padEnd(44)}${['ours', 'floor', 'ratio', 'target'].map((text) => text.padStart(8)).join('')}`,
);
try {
  // Not counted: the first start reads the disk.
  await node(cli, '--version');
  await firstByteMs();
  print(
    'pipeline --version ÷ node -e 0',
    1.5,
    await compare(startRuns, async () => (await node(cli, '--version')).ms, emptyMs),
  );
  print('first request byte ÷ node -e 0', 2.2, await compare(startRuns, firstByteMs, emptyMs));
  print(
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
    print(`shell step ÷ execa loop, ${words}`, 1.6, pair);
  }
} finally {
  mock.close();
}
