import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { campaign, runOf, warm } from '../../src/simulate/campaign.js';
import { givenChoices, seededChoices } from '../../src/simulate/choices/choices.js';
import type { Compiled } from '../../src/simulate/compiled.js';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { judgedRun } from '../../src/simulate/promises/judged.js';
import { readSimulation, simulationsIn } from '../../src/simulate/sim-file.js';
import { simulateRun } from '../../src/simulate/simulated-run.js';
import { claimProblems } from '../../src/testing/claim-types.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';
import { compiledAt, folder } from './compiled.js';
import { mounted } from './mounted.js';

const FIXTURES = new URL('../fixtures/pipelines/', import.meta.url).pathname;

/** A copy that a test may write into. */
function copyOf(name: string): string {
  const dir = folder();
  cpSync(join(FIXTURES, name), dir, { recursive: true });
  return dir;
}

const compiled = (dir: string, query: string | readonly string[]) => compiledAt(join(dir, 'pipeline.yaml'), query);

const ALL = { first: 0, step: 1, timeMs: Number.POSITIVE_INFINITY, now: () => 0 };

function journalOf(dir: string | undefined, disk: Disk): string {
  return disk.readFile(`${dir}/events.ndjson`).toString();
}

it.each([
  ['simulate-publish', /never ended|failed/, (text: string) => text.replace('on_error: continue', 'on_error: fail')],
  [
    'simulate-careless',
    /failed/,
    (text: string) =>
      text.replace('min_success: 1\n', 'min_success: 100%\n').replace('on_error: continue', 'on_error: fail'),
  ],
])('finds what %s allows, cuts it down, and writes tests that fail until it is mended', async (name, story, mend) => {
  const dir = copyOf(name);
  const [simulation] = simulationsIn(dir).simulations;
  if (!simulation) throw new Error('the fixture has no simulation');
  const disk = mounted();
  const plan = await compiled(dir, simulation.queries);
  const outcome = await campaign({ compiled: plan, claims: simulation.claims, seed: 'a', runs: 30, ...ALL }, disk);

  expect(outcome.found.map(({ violation }) => violation.what).sort()).toEqual(
    simulation.claims.map(({ message }) => message).sort(),
  );
  for (const found of outcome.found) {
    expect(found.choices).toBeLessThanOrEqual(12);
    expect(found.story).toMatch(story);
    writeFileSync(join(dir, 'tests', found.test?.name ?? ''), found.test?.told ?? '');
  }
  const around = { cwd: dir, env: {} };
  const failing = async () => {
    const { tests, problems } = await findTests([join(dir, 'pipeline.yaml')], around);
    expect(problems).toEqual([]);
    const results = await Promise.all(tests.map((test) => performTest(test, around)));
    for (const { dir: kept } of results) if (kept) rmSync(join(kept, '../..'), { recursive: true, force: true });
    return results.filter(({ failures }) => failures.length > 0).map(({ test }) => basename(test.file));
  };
  const written = outcome.found.map(({ test }) => test?.name).sort();
  expect((await failing()).sort()).toEqual(written);

  writeFileSync(join(dir, 'pipeline.yaml'), mend(readFileSync(join(dir, 'pipeline.yaml'), 'utf8')));
  expect(await failing()).toEqual([]);
  const mended = await compiled(dir, simulation.queries);
  const after = await campaign({ compiled: mended, claims: simulation.claims, seed: 'a', runs: 30, ...ALL }, disk);
  expect(after.found).toEqual([]);
});

it('makes the same journal of the same seed, byte for byte, whichever runs came before it', async () => {
  const disk = mounted();
  const plan = await compiled(join(FIXTURES, 'simulate-ten'), 'a test of it');
  await warm(plan, disk);
  const once = async (seed: string) => {
    const { dir } = await simulateRun(plan, seededChoices(seed), disk);
    return journalOf(dir, disk);
  };
  const first = [await once('a.1'), await once('a.2'), await once('a.3')];
  const again = [await once('a.3'), await once('a.1'), await once('a.2')];
  expect(again).toEqual([first[2], first[0], first[1]]);
  expect(new Set(first).size).toBe(3);
});

it('kills a process in the midst of its work, tears what it was writing, and comes to the same result when it goes on', async () => {
  const disk = mounted();
  const plan = await compiled(join(FIXTURES, 'simulate-ten'), 'a test of it');
  await warm(plan, disk);
  const calm = await simulateRun(plan, givenChoices(new Map()), disk);
  const whole = calm.sessions[0]?.operations ?? 0;
  expect(whole).toBeGreaterThan(100);
  for (let at = 1; at < whole; at += 9) {
    const choices = () =>
      givenChoices(
        new Map([
          ['crash.0', [at, 1 + (at % 3)]],
          ['word.1', [1]],
        ]),
      );
    const run = await simulateRun(plan, choices(), disk);
    expect(run.sessions.map(({ end }) => end.type)).toEqual(['killed', 'ended']);
    const end = run.sessions[1]?.end;
    expect(end?.type === 'ended' && [end.report.status, end.report.result]).toEqual(['done', 'text']);
  }
});

it('breaks no promise in runs that are killed, refused, delayed and lied to', async () => {
  const disk = mounted();
  const plan = await compiled(join(FIXTURES, 'simulate-ten'), 'a test of it');
  const outcome = await campaign({ compiled: plan, claims: [], seed: 'a', runs: 60, ...ALL }, disk);
  expect(outcome.found).toEqual([]);
  expect(outcome.sessions).toBeGreaterThan(60);
  expect(Object.keys(outcome.statuses)).toEqual(expect.arrayContaining(['done', 'failed', 'refused']));
});

it('repeats a run by its seed alone', async () => {
  const disk = mounted();
  const dir = join(FIXTURES, 'simulate-publish');
  const [simulation] = simulationsIn(dir).simulations;
  const claims = simulation?.claims ?? [];
  const plan = await compiled(dir, simulation?.queries ?? []);
  const { found } = await campaign({ compiled: plan, claims, seed: 'a', runs: 30, ...ALL }, disk);
  const { violations } = await runOf(found[0]?.seed ?? '', { compiled: plan, claims }, disk);
  expect(violations.map(({ what }) => what)).toContain(found[0]?.violation.what);
});

it('holds claims against the pipeline before anything runs: steps, fields, types', async () => {
  const dir = copyOf('simulate-publish');
  const file = join(dir, 'tests', 'wrong.sim.yaml');
  writeFileSync(
    file,
    `name: Wrong
always:
  - ran("publsh")
  - steps.audit.output.verdict == "pass"
  - 'steps.audit.status == "done" ? steps.audit.output.verdict == "passed" : true'
  - census.done
never:
  - that: 'steps.write.output.titel == ""'
`,
  );
  const { simulation, problems } = readSimulation(file);
  expect(problems).toEqual([]);
  const { plan } = await compiled(dir, '');
  expect(
    claimProblems(simulation?.claims ?? [], plan).map(({ message, at }) => `${at.line} ${message}`),
  ).toMatchInlineSnapshot(`
    [
      "3 There is no step "publsh".",
      "4 steps.audit.output may be null.",
      "5 steps.audit.output.verdict is never "passed".",
      "6 Here stands true or false, and this is a number.",
      "8 steps.write.output may be null.",
      "8 steps.write.output has no field "titel".",
    ]
  `);
});

/** Kills the first process at every other of its operations in turn, with what else was chosen. @returns what was broken, once each */
async function killedAnywhere(plan: Compiled, taken: readonly (readonly [string, readonly number[]])[], disk: Disk) {
  await warm(plan, disk);
  const calm = await simulateRun(plan, givenChoices(new Map(taken)), disk);
  const broken = new Set<string>();
  for (let at = 1; at <= (calm.sessions[0]?.operations ?? 0); at += 2) {
    const choices = () => givenChoices(new Map([...taken, ['crash.0', [at]], ['word.1', [1]]]));
    const { violations } = await judgedRun(plan, choices, disk, []);
    for (const { what, said } of violations) broken.add(`${what}: ${said}`);
  }
  return [...broken];
}

it.each(['react', 'llm'])(
  'an agent (%s) whose model has refused stays refused, wherever the process was killed',
  async (adapter) => {
    const disk = mounted();
    const dir = copyOf('simulate-publish');
    const file = join(dir, 'pipeline.yaml');
    const text = readFileSync(file, 'utf8');
    const written = text.replace('instructions: You write', `adapter: ${adapter}, instructions: You write`);
    expect(written).not.toBe(text);
    writeFileSync(file, written);
    const plan = await compiled(dir, 'lighthouses');
    expect(await killedAnywhere(plan, [['write@1.1', [0, 8]]], disk)).toEqual([]);
  },
);

it('nothing is begun once a person has said no, wherever the process was killed', async () => {
  const disk = mounted();
  const dir = folder();
  writeFileSync(
    join(dir, 'pipeline.yaml'),
    `version: 1
name: asks
steps:
  - id: work
    repeat: { until: 'output.verdict == "done"', max: 3 }
    steps:
      - id: part
        agent: { instructions: You work., prompt: 'Work. \${{ previous }}' }
        output: { type: object, properties: { verdict: { enum: [done, again] } }, required: [verdict] }
    result: \${{ steps.part.output }}
  - id: ask
    needs: []
    gate: { ask: Go on? }
`,
  );
  const plan = await compiled(dir, 'a question');
  expect(
    await killedAnywhere(
      plan,
      [
        ['work/0/part@1.1', [0, 0, 0, 1]],
        ['ask?', [1]],
      ],
      disk,
    ),
  ).toEqual([]);
});
