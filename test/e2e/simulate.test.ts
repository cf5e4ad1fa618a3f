/** `pipeline simulate` as a person types it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onThreads } from '../../src/simulate/workers.js';
import { CLI, FIXTURES, workspace } from '../support/cli.js';

const FILE = './pipeline.yaml';

it('says what breaks in words, writes it as a test that fails, and exits with 1', async () => {
  const place = workspace('simulate-publish');
  const ran = await place.pipeline(['simulate', FILE, '--runs', '60', '--seed', 'a']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^press {2}Nothing is published that the auditor has not passed\n/);
  expect(ran.stderr).toMatch(
    /✗ a note is published that no audit has passed\n {6}[\s\S]*"audit"\s+failed [\s\S]*\n {6}seed a\.\d+, /,
  );
  expect(ran.stderr).toMatch(/cut down to \d+ choices?\n {2}try {2}pipeline test tests\/found-/);
  expect(ran.stderr).toMatch(/\n {2}\d+ runs in .*\n/);
  const written = readdirSync(join(place.dir, 'tests')).filter((name) => name.startsWith('found-'));
  expect(written).toHaveLength(2);

  const tested = await place.pipeline(['test', FILE]);
  expect(tested.code).toBe(1);
  expect(tested.stderr).toMatch(/\n2 tests: 0 passed, 2 failed, /);

  place.edit('pipeline.yaml', 'on_error: continue', 'on_error: fail');
  expect((await place.pipeline(['test', FILE])).code).toBe(0);
  const mended = await place.pipeline(['simulate', FILE, '--runs', '60', '--seed', 'a']);
  expect(mended.code).toBe(0);
  expect(mended.stderr).toContain('✓ nothing was broken');
});

it('writes what needs a crash as a test that is performed again, beside others, until the pipeline is mended', async () => {
  const place = workspace('simulate-publish');
  const claim = 'a run that was cut off fails';
  place.write(
    'tests/press.sim.yaml',
    `name: It goes on\nquery: x\nnever: [{ that: 'census.reused > 0 && status == "failed"', message: ${claim} }]\n`,
  );
  const ran = await place.pipeline(['simulate', FILE, '--runs', '600', '--seed', 'a', '--json']);
  expect(ran.code).toBe(1);
  const { found } = JSON.parse(ran.stdout).simulations[0];
  expect(found).toMatchObject([
    { what: claim, story: expect.stringContaining('The process was killed at its operation') },
  ]);
  const file: string = found[0].test;
  expect(readFileSync(file, 'utf8')).toMatch(/\nsimulate:\n {2}crash\.0: \[/);

  place.write(
    'tests/plain.test.yaml',
    'name: Plain\nquery: x\nmodel: sketch\nstubs: { publish: {} }\nexpect: { status: done }\n',
  );
  const tested = await place.pipeline(['test', FILE, '--junit', 'junit.xml', '--json']);
  expect(tested.code).toBe(1);
  expect(JSON.parse(tested.stdout)).toMatchObject({
    tests: 2,
    passed: 1,
    results: [
      { name: claim, file, passed: false, failures: [{ what: 'never', expected: claim }, { what: 'because' }] },
      {},
    ],
  });
  expect(place.read('junit.xml')).toMatch(/<failure message="never is not as expected"[\s\S]*killed at its operation/);

  place.edit('pipeline.yaml', 'effect: once\n', 'effect: once\n    on_error: continue\n');
  const mended = await place.pipeline(['test', FILE]);
  expect(mended.stderr).toMatch(/\n2 tests: 2 passed, 0 failed, /);
  expect(mended.code).toBe(0);
  expect(place.has('skill_run')).toBe(false);
});

it('repeats one run by its seed, step by step, and leaves nothing on the disk', async () => {
  const place = workspace('simulate-publish');
  const found = await place.pipeline(['simulate', FILE, '--runs', '60', '--seed', 'a', '--json']);
  const { simulations } = JSON.parse(found.stdout);
  const { seed } = simulations[0].found[0];
  const one = await place.pipeline(['simulate', FILE, '--seed', seed, '--trace']);
  const again = await place.pipeline(['simulate', FILE, '--seed', seed, '--trace']);
  expect(one.code).toBe(1);
  expect(one.stdout).toMatch(/step_failed audit/);
  expect(again.stdout).toBe(one.stdout);
  expect(place.has('skill_run')).toBe(false);
});

it('leaves a found test that still fails as its author has it, and replaces one that fails no more', async () => {
  const place = workspace('simulate-publish');
  const simulate = ['simulate', FILE, '--runs', '60', '--seed', 'a'];
  await place.pipeline(simulate);
  const names = readdirSync(join(place.dir, 'tests')).filter((name) => name.startsWith('found-'));
  const [kept = '', replaced = ''] = names.map((name) => `tests/${name}`);
  place.edit(kept, /^name: .*$/m.exec(place.read(kept))?.[0] ?? '', 'name: mine # a remark');
  const mine = place.read(kept);
  const text = place.read(replaced);
  place.edit(replaced, text.slice(text.indexOf('turns:'), text.indexOf('expect:')), '');
  const stale = place.read(replaced);

  const { stderr, code } = await place.pipeline(simulate);
  expect(code).toBe(1);
  expect(stderr).toContain('its test was there and still fails: it is left as it is\n');
  expect(stderr).toContain('its test was there and failed no more: it is replaced\n');
  expect(place.read(kept)).toBe(mine);
  expect(place.read(replaced)).not.toBe(stale);
  expect(readdirSync(join(place.dir, 'tests')).sort()).toEqual([...names, 'press.sim.yaml'].sort());

  place.edit('pipeline.yaml', 'on_error: continue', 'on_error: fail');
  await place.pipeline(simulate);
  expect(place.read(kept)).toBe(mine);
});

it('writes nothing into a skill that was added from elsewhere, nor for a file that tests do not name, and says why', async () => {
  const place = workspace();
  const press = readFileSync(join(FIXTURES, 'pipelines/simulate-publish/pipeline.yaml'), 'utf8');
  const claims = readFileSync(join(FIXTURES, 'pipelines/simulate-publish/tests/press.sim.yaml'), 'utf8');
  place.write('from/skills/press/pipeline.yaml', press);
  place.write('from/skills/press/tests/press.sim.yaml', claims);
  expect(await place.pipeline(['skills', 'add', './from', '--yes'])).toMatchObject({ code: 0 });
  const added = await place.pipeline(['simulate', 'press', '--runs', '60', '--seed', 'a']);
  expect(added.code).toBe(1);
  expect(added.stderr).toMatch(/no test: "press" was added from elsewhere/);
  expect(added.stderr).toMatch(/\n {2}try {2}pipeline simulate press --seed a\.\d+ --trace\n/);
  expect((await place.pipeline(['skills', 'check'])).code).toBe(0);
  expect((await place.pipeline(['test', 'press'])).stderr).toContain('has no tests');

  place.write('flow/flow.yaml', press);
  place.write('flow/tests/flow.sim.yaml', claims);
  const named = await place.pipeline(['simulate', 'flow/flow.yaml', '--runs', '60', '--seed', 'a']);
  expect(named.stderr).toMatch(/no test: a test is of the pipeline\.yaml [\s\S]*flow\.yaml\n/);
  expect(named.stderr).toMatch(/\n {2}try {2}pipeline simulate flow\/flow\.yaml --seed a\.\d+ --trace\n/);
  expect(readdirSync(join(place.dir, 'flow/tests'))).toEqual(['flow.sim.yaml']);
});

it('says wrong inputs of a simulation file at their places, also as a document, and takes a needed one from there', async () => {
  const place = workspace();
  const inputs = 'inputs:\n  count: { type: integer, maximum: 10 }\n  doc: { type: string, format: path }\n';
  place.write('pipeline.yaml', `version: 1\nname: t\n${inputs}steps: [{ id: a, shell: { command: [a] } }]\n`);
  const simulation = (given: string) =>
    place.write('tests/t.sim.yaml', `name: T\nquery: q\ninputs:\n${given}always: ['status != "refused"']\n`);
  const simulate = ['simulate', FILE, '--runs', '5', '--seed', 'a'];

  simulation('  doc: pipeline.yaml\n  count: 300\n');
  const wrong = await place.pipeline(simulate);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(
    /"count" does not fit: [^\n]*\n {2}at {3}tests\/t\.sim\.yaml:5:3\n[\s\S]*Nothing was run\./,
  );
  const { problems } = JSON.parse((await place.pipeline([...simulate, '--json'])).stdout);
  expect(problems).toMatchObject([{ at: { file: join(place.dir, 'tests/t.sim.yaml'), line: 5 } }]);

  simulation('  doc: pipeline.yaml\n');
  expect(await place.pipeline(simulate)).toMatchObject({ code: 0 });
  expect((await place.pipeline([...simulate, '--input', 'nope=1'])).stderr).toMatch(/no input "nope"/);
});

it('traces a run for each simulation file with its own query and claims, and a found test', async () => {
  const place = workspace('simulate-publish');
  const resumed = '\'census.reused > 0 && status == "failed"\'';
  place.write('tests/a.sim.yaml', 'name: One\nquery: moths\nnever: [\'ran("publish")\']\n');
  place.write('tests/press.sim.yaml', `name: Two\nquery: ferns\nnever: [{ that: ${resumed}, message: not resumed }]\n`);
  const trace = await place.pipeline(['simulate', FILE, '--trace', '--seed', 'q.0', '--json']);
  const { traces } = JSON.parse(trace.stdout);
  expect(traces).toMatchObject([
    { name: 'One', query: 'moths' },
    { name: 'Two', query: 'ferns' },
  ]);
  const said = traces.map(({ violations }: { violations: { what: string }[] }) => violations.map(({ what }) => what));
  expect(said.flat().filter((what: string) => what === 'not resumed')).toEqual([]);
  expect(said[1]).not.toContain('ran("publish")');

  const found = await place.pipeline(['simulate', FILE, '--runs', '600', '--seed', 'a', '--json']);
  const { test, choices } = JSON.parse(found.stdout).simulations[1].found[0];
  const shown = await place.pipeline(['simulate', test]);
  expect(shown.code).toBe(1);
  expect(shown.stdout).toMatch(new RegExp(`found-[0-9a-f]+\\.test\\.yaml, ${choices} choices?\\n-- query "ferns"\\n`));
  expect(shown.stdout).toMatch(/\n-- (killed|the power failed) at operation \d+\n/);
  expect(shown.stderr).toContain('✗ not resumed');
});

it.each([
  [['--trace'], /--trace needs the seed of one run/],
  [['--trace', '--seed', 'c'], /"c" is the seed of many runs[\s\S]*--seed c\.0 /],
  [['--runs', '99999999999999999999'], /--runs is at most/],
])('exits with 2 for %j', async (options, message) => {
  const ran = await workspace('simulate-publish').pipeline(['simulate', FILE, ...options]);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(message);
});

it('knows a simulation file that is named in the place of its pipeline', async () => {
  const ran = await workspace('simulate-publish').pipeline(['simulate', 'tests/press.sim.yaml']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/press\.sim\.yaml is a simulation file[\s\S]*pipeline simulate \.\/\n/);
});

describe('threads of the program', () => {
  const partOf = (dir: string, runs: number) => ({
    ...{ target: join(dir, 'pipeline.yaml'), cwd: dir, skillsDirs: [], query: ['x'], inputs: {} },
    ...{ file: join(dir, 'tests/press.sim.yaml'), seed: 'a', runs, timeMs: 600_000 },
  });

  it('find the same, cut down the same, in whatever number', async () => {
    const { dir } = workspace('simulate-publish');
    const on = (threads: number) =>
      onThreads(partOf(dir, 60), threads, CLI, () => undefined, new AbortController().signal);
    const one = await on(1);
    expect(one.found.map(({ isCut }) => isCut)).toEqual([true, true]);
    expect(await on(3)).toEqual(one);
  });

  it('tell what was found so far when they are interrupted', async () => {
    const { dir } = workspace('simulate-publish');
    const stop = new AbortController();
    const outcome = await onThreads(
      partOf(dir, 1_000_000),
      2,
      CLI,
      ({ found }) => found > 0 && stop.abort(new Error('interrupted')),
      stop.signal,
    );
    expect(outcome.runs).toBeGreaterThan(0);
    expect(outcome.runs).toBeLessThan(1_000_000);
    expect(outcome.found.length).toBeGreaterThan(0);
    expect(outcome.found.some(({ isCut }) => isCut)).toBe(false);
  });
});

it('refuses a claim about what is not there before anything runs', async () => {
  const place = workspace('simulate-publish');
  place.edit('tests/press.sim.yaml', 'before("audit", "publish")', 'before("audti", "publish")');
  const ran = await place.pipeline(['simulate', FILE]);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/There is no step "audti"[\s\S]*press\.sim\.yaml:4:[\s\S]*Nothing was run\./);
});
