/** What the adversary comes to: every branch of a pipeline, late ones too. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Campaign, campaign, runOf, warm } from '../../src/simulate/campaign.js';
import { givenChoices, seededChoices } from '../../src/simulate/choices/choices.js';
import { courseOf } from '../../src/simulate/choices/course.js';
import type { Compiled } from '../../src/simulate/compiled.js';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { neverIn } from '../../src/simulate/promises/coverage.js';
import { readSimulation, simulationsIn } from '../../src/simulate/sim-file.js';
import { simulateRun } from '../../src/simulate/simulated-run.js';
import { tracedRun } from '../../src/simulate/traced-run.js';
import type { Claim } from '../../src/testing/claims.js';
import { compiledAt, compiledFrom, folder } from './compiled.js';
import { mounted } from './mounted.js';

const LATE = new URL('../fixtures/pipelines/simulate-late/', import.meta.url).pathname;
const QUERIES = ['lighthouses of the north', '  '];

async function late(query: string | readonly string[] = QUERIES): Promise<Compiled> {
  return compiledAt(join(LATE, 'pipeline.yaml'), query);
}

function asked(compiled: Compiled, runs: number, claims: readonly Claim[] = []): Campaign {
  return { compiled, claims, seed: 'a', runs, first: 0, step: 1, timeMs: Number.POSITIVE_INFINITY, now: () => 0 };
}

function journalOf(dir: string | undefined, disk: Disk): string {
  return disk.readFile(`${dir}/events.ndjson`).toString();
}

/** A simulation file of these claims, read. */
function simulationOf(text: string) {
  const file = join(folder(), 'a.sim.yaml');
  writeFileSync(file, text);
  return readSimulation(file);
}

it('comes to both sides of a condition on the query where a file names several, to one where it names one', async () => {
  const disk = mounted();
  const [simulation] = simulationsIn(LATE).simulations;
  expect(simulation?.queries).toEqual(QUERIES);
  const sides = async (queries: readonly string[]) => {
    const { coverage } = await campaign(asked(await late(queries), 40), disk);
    const counts = new Map(coverage);
    return ['stop_silent when: true', 'stop_silent when: false'].map((name) => (counts.get(name) ?? 0) > 0);
  };
  expect(await sides(simulation?.queries ?? [])).toEqual([true, true]);
  expect(await sides(QUERIES.slice(0, 1))).toEqual([false, true]);
});

it('tells the query of a run to the claims, to the test that is written, and in the trace', async () => {
  const { simulation } = simulationOf(
    'name: a\nnever: [{ that: \'query == "  " && ran("stop_silent")\', message: silence is met }]\n',
  );
  const claims = simulation?.claims ?? [];
  const compiled = await late();
  const { found } = await campaign(asked(compiled, 40, claims), mounted());
  expect(found.map(({ violation, taken }) => [violation.what, taken])).toEqual([['silence is met', [['query', [1]]]]]);
  expect(found[0]?.test?.told).toContain("query: '  '\n");
  const traced = await tracedRun(compiled, found[0]?.seed ?? '', claims);
  expect(traced.lines[0]).toBe('-- query "  "');
  expect(traced.violations.map(({ what }) => what)).toEqual(['silence is met']);
});

it('gives the runs the description of a pipeline where nobody names a query', async () => {
  const compiled = await late([]);
  expect(compiled.queries).toEqual([compiled.plan.description]);
});

it.each([
  ['query: 7', '2:8 "query" must be a text or a list of texts, not the number 7.'],
  ['query: [a, 7]', '2:12 "query" must be a text or a list of texts; this item is the number 7.'],
  ['query: { a: b }', '2:8 "query" must be a text or a list of texts, not a mapping.'],
  ['query: []', '2:8 A list of queries has at least one.'],
])('says of "%s" what is wrong, with its place', (line, said) => {
  const { problems } = simulationOf(`name: a\n${line}\nalways: ['ran("intake")']\n`);
  expect(problems.map(({ message, at }) => `${at.line}:${at.column} ${message}`)).toEqual([said]);
});

it('comes to the end of the pipeline where every choice is the plainest one', async () => {
  const disk = mounted();
  const compiled = await late();
  await warm(compiled, disk);
  const { sessions } = await simulateRun(compiled, givenChoices(new Map()), disk);
  const end = sessions[0]?.end;
  expect(end?.type === 'ended' && end.report.status).toBe('done');
});

it('gives a text that a condition speaks of, though no schema names it, and goes on', async () => {
  const compiled = await compiledFrom(
    `version: 1
name: word
steps:
  - id: rounds
    repeat: { until: output.word == "enough", max: 3, on_max: accept }
    steps:
      - { id: say, agent: { instructions: You say., prompt: 'Say \${{ previous }}' }, output: { type: object, properties: { said: { type: string } }, required: [said] } }
    result: { word: '\${{ steps.say.output.said }}' }
  - { id: last, shell: { command: [last] } }
`,
    'a',
  );
  const disk = mounted();
  await warm(compiled, disk);
  const { sessions } = await simulateRun(compiled, givenChoices(new Map()), disk);
  const rounds = sessions[0]?.events.find((event) => event.type === 'step_done' && event.path === 'rounds');
  expect(rounds).toMatchObject({ output: { word: 'enough' } });
  const { coverage } = await campaign({ ...asked(compiled, 60) }, disk);
  expect(neverIn(new Map(coverage))).toEqual([]);
});

it('repeats a run that is calm up to a late step, by its seed as by the list of its choices', async () => {
  const disk = mounted();
  const compiled = await late();
  const { plan } = compiled;
  const isLate = (seed: string) => {
    const course = courseOf(seed, plan);
    return course('rounds/0/audit@1.1') === undefined && course('plain@1.1') !== undefined;
  };
  const seeds = Array.from({ length: 400 }, (_, number) => `late.${number}`).filter(isLate);
  expect(seeds.length).toBeGreaterThan(20);
  await warm(compiled, disk);
  const journals = new Set<string>();
  for (const seed of seeds.slice(0, 8)) {
    const { choices, run } = await runOf(seed, { compiled, claims: [] }, disk);
    const ofSteps = [...choices.taken().keys()].filter((place) => /^(intake|search|rounds)\b/.test(place));
    expect(ofSteps).toEqual([]);
    const repeated = await simulateRun(compiled, seededChoices(seed, courseOf(seed, plan)), disk);
    const journal = journalOf(repeated.dir, disk);
    const given = await simulateRun(compiled, givenChoices(choices.taken()), disk);
    expect(journalOf(given.dir, disk)).toBe(journal);
    expect(run.sessions.flatMap(({ events }) => events)).toEqual(repeated.sessions.flatMap(({ events }) => events));
    journals.add(journal);
  }
  expect(journals.size).toBeGreaterThan(2);
});

it('comes to every place of a pipeline whose last steps stand behind ends, a loop and asserts', async () => {
  const outcome = await campaign(asked(await late(), 300), mounted());
  expect(neverIn(new Map(outcome.coverage))).toEqual([]);
  expect(outcome.statuses.done).toBeGreaterThan(60);
});
