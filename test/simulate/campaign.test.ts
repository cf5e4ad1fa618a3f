/** A campaign whose runs are made in parts, and what counts of what the parts have found. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { campaign, type Outcome, search } from '../../src/simulate/campaign.js';
import { compile } from '../../src/simulate/compiled.js';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { readSimulation } from '../../src/simulate/sim-file.js';
import { together } from '../../src/simulate/workers.js';
import { mounted } from './mounted.js';

const PIPELINE = `version: 1
name: two
steps:
  - id: look
    agent: { prompt: "Look at \${{ query }}." }
    output: { type: object, properties: { n: { type: integer, minimum: 0, maximum: 40 } }, required: [n] }
  - id: tell
    when: steps.look.output.n > 3
    shell: { command: [tell] }
`;

/** A pipeline in a folder of its own, with a simulation file of this text. */
async function place(simulation: string) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'campaign-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'tests'));
  writeFileSync(join(dir, 'pipeline.yaml'), PIPELINE);
  const file = join(dir, 'tests/a.sim.yaml');
  writeFileSync(file, simulation);
  const got = await compile({ target: join(dir, 'pipeline.yaml'), cwd: dir, query: 'x', inputs: {} });
  if (!('compiled' in got)) throw new Error(got.problems.map(({ message }) => message).join('\n'));
  const claims = readSimulation(file).simulation?.claims ?? [];
  return { compiled: got.compiled, claims, seed: 'a', timeMs: Number.POSITIVE_INFINITY, now: () => 0 };
}

const SEVERAL = `name: A
query: x
never:
  - { that: 'steps.look.status == "failed"', message: it happened }
  - { that: 'ran("tell")', message: it happened }
  - { that: 'steps.tell.status == "failed"', message: it happened }
`;

it('counts the run with the lowest number for each claim, in however many parts the runs are made', async () => {
  const asked = await place(SEVERAL);
  const disk = mounted();
  const parts = async (step: number): Promise<Outcome> => {
    const outcomes: Outcome[] = [];
    for (let first = 0; first < step; first++) outcomes.push(await search({ ...asked, runs: 120, first, step }, disk));
    // Which of them ends first is nobody's matter.
    return together(outcomes.reverse());
  };
  const [one, three, seven] = [await parts(1), await parts(3), await parts(7)];

  expect(one.runs).toBe(120);
  expect(one.found.map(({ key }) => key).sort()).toEqual([
    'never ran("tell")',
    'never steps.look.status == "failed"',
    'never steps.tell.status == "failed"',
  ]);
  expect(three).toEqual(one);
  expect(seven).toEqual(one);
});

it('cuts each claim down by itself, also where two have one message, and into tests of their own', async () => {
  const found = (await campaign({ ...(await place(SEVERAL)), runs: 120, first: 0, step: 1 }, mounted())).found;
  expect(found.map(({ violation }) => violation.what)).toEqual(['it happened', 'it happened', 'it happened']);
  expect(new Set(found.map(({ test }) => test?.name)).size).toBe(3);
  for (const { choices, isCut } of found) expect({ isCut, few: choices <= 4 }).toEqual({ isCut: true, few: true });
});

it('names the tests of one claim by its file, since another file has other queries', async () => {
  const asked = await place(SEVERAL);
  const disk = mounted();
  const names = async (claims: typeof asked.claims, on: Disk) =>
    (await campaign({ ...asked, claims, runs: 60, first: 0, step: 1, mostFound: 1 }, on)).found.map(
      ({ test }) => test?.name,
    );
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'campaign-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const other = join(dir, 'b.sim.yaml');
  writeFileSync(other, SEVERAL);
  const [first] = await names(asked.claims, disk);
  const [second] = await names(readSimulation(other).simulation?.claims ?? [], disk);
  expect(first).toMatch(/^found-[0-9a-f]{8}\.test\.yaml$/);
  expect(second).not.toBe(first);
});

it('makes no run once it is stopped, and tells those before it', async () => {
  const asked = await place(SEVERAL);
  let made = 0;
  const bounds = { runs: 120, first: 0, step: 1, isStopped: () => made >= 30 };
  const outcome = await search({ ...asked, ...bounds }, mounted(), (runs) => {
    made = runs;
  });
  expect(outcome.runs).toBe(30);
  expect(outcome.found.length).toBeGreaterThan(0);
  expect(outcome.found.every(({ isCut, story }) => !isCut && story !== '')).toBe(true);
});

it.each([
  ['', /empty/],
  ['query: x\nalways: ["true"]\n', /needs "name"/],
  ['name: [n]\nalways: ["true"]\n', /"name" must be/],
  ['name: A\ninputs: [a]\nalways: ["true"]\n', /"inputs" must be a mapping/],
  ['name: A\nquery: x\n', /"always" or "never"/],
])('refuses the simulation file %j', (text, message) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'campaign-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'a.sim.yaml');
  writeFileSync(file, text);
  const { simulation, problems } = readSimulation(file);
  expect(simulation).toBeUndefined();
  expect(problems.map((one) => one.message).join('\n')).toMatch(message);
});
