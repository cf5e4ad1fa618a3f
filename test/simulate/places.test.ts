/** What counts as come to: conditions of loops, losses of items, failures of the loop itself. */
import { expect, it } from 'vitest';
import { givenChoices, seededChoices } from '../../src/simulate/choices/choices.js';
import { cover, coverageOf } from '../../src/simulate/promises/coverage.js';
import { simulateRun } from '../../src/simulate/simulated-run.js';
import { compiledFrom } from './compiled.js';
import { mounted } from './mounted.js';

/** @param steps of the pipeline, as YAML @param seeds of runs; without any, one run in which all goes as plainly as it can */
async function counts(steps: string, seeds: readonly string[] = []): Promise<Record<string, number>> {
  const compiled = await compiledFrom(`version: 1\nname: places\nsteps:\n${steps}`);
  const disk = mounted();
  const coverage = coverageOf(compiled.plan);
  const chosen = seeds.length > 0 ? seeds.map((seed) => seededChoices(seed)) : [givenChoices(new Map())];
  for (const choices of chosen) cover(coverage, await simulateRun(compiled, choices, disk));
  return Object.fromEntries(coverage);
}

const COUNT = '{ type: object, properties: { n: { type: integer } }, required: [n] }';
const loop = (repeat: string) =>
  `  - { id: rounds, repeat: { until: ${repeat} }, shell: { command: [count] }, output: ${COUNT} }\n`;
const NEVER = "'output.n > 5 && output.n < 5'";

it.each([
  ['is accepted', `${NEVER}, max: 2, on_max: accept`, { true: 0, false: 2, fails: 0 }],
  ['is accepted after its only one', `${NEVER}, max: 1, on_max: accept`, { true: 0, false: 1, fails: 0 }],
  ['fails after its only one', `${NEVER}, max: 1`, { true: 0, false: 1, fails: 1 }],
  ['ends', "'true', max: 2, on_max: accept", { true: 1, false: 0, fails: 0 }],
])('a loop that %s has come to the sides of its until that it has seen', async (_, repeat, seen) => {
  const found = await counts(loop(repeat));
  expect({
    true: found['rounds until: true'],
    false: found['rounds until: false'],
    fails: found['rounds fails'],
  }).toEqual(seen);
});

it('a lost item is no failure of its loop, and a failed round is one of the loop', async () => {
  const seeds = Array.from({ length: 40 }, (_, number) => `places.${number}`);
  const found = await counts(
    `  - { id: each, foreach: [1, 2, 3], min_success: 0, shell: { command: [count, '\${{ string(item) }}'] }, output: ${COUNT} }
  - { id: rounds, needs: [], repeat: { until: 'true', max: 2 }, shell: { command: [count] }, output: ${COUNT} }
`,
    seeds,
  );
  expect(found['each loses an item']).toBeGreaterThan(5);
  expect(found['each fails']).toBe(0);
  expect(found['rounds fails']).toBeGreaterThan(0);
  expect(found['rounds fails']).toBeLessThan(found['rounds runs'] ?? 0);
});
