/** `pipeline simulate` as a person types it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

const FILE = './pipeline.yaml';

it('says what breaks in words, writes it as a test that fails, and exits with 1', async () => {
  const place = workspace('simulate-publish');
  const ran = await place.pipeline(['simulate', FILE, '--runs', '60', '--seed', 'a']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^press {2}Nothing is published that the auditor has not passed\n/);
  expect(ran.stderr).toMatch(/✗ a note is published that no audit has passed\n {6}"audit" failed .*\n/);
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

it('refuses a claim about what is not there before anything runs', async () => {
  const place = workspace('simulate-publish');
  place.edit('tests/press.sim.yaml', 'before("audit", "publish")', 'before("audti", "publish")');
  const ran = await place.pipeline(['simulate', FILE]);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/before has no field "audti"[\s\S]*press\.sim\.yaml:4:[\s\S]*Nothing was run\./);
});
