/** What a simulation found, as a test: written, performed again, and green once the pipeline is mended. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { campaign } from '../../src/simulate/campaign.js';
import { seededChoices, type Taken } from '../../src/simulate/choices/choices.js';
import { type Compiled, compile } from '../../src/simulate/compiled.js';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { foundTest } from '../../src/simulate/found/found-test.js';
import { replay } from '../../src/simulate/found/replay.js';
import { writeFound } from '../../src/simulate/found/write-found.js';
import { judgedRun } from '../../src/simulate/promises/judged.js';
import { simulationsIn } from '../../src/simulate/sim-file.js';
import { simulateRun } from '../../src/simulate/simulated-run.js';
import { failureLines } from '../../src/testing/failure-text.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';
import { readTest } from '../../src/testing/read-test.js';
import { mounted } from './mounted.js';

const FIXTURES = new URL('../fixtures/pipelines/', import.meta.url).pathname;
const ALL = { runs: 1_500, first: 0, step: 1, timeMs: Number.POSITIVE_INFINITY, now: () => 0 };

/** The press of a fixture, with other claims, in a folder of its own. */
function press(never: readonly (readonly [string, string])[] = []) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'replay-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(join(FIXTURES, 'simulate-publish'), dir, { recursive: true });
  const claims = never.map(([that, message]) => `  - { that: '${that}', message: ${message} }\n`).join('');
  writeFileSync(join(dir, 'tests/press.sim.yaml'), `name: It holds\nquery: lighthouses\nnever:\n${claims}`);
  const file = join(dir, 'pipeline.yaml');
  const around = { cwd: dir, env: { PATH: process.env.PATH } };
  return {
    dir,
    around,
    edit(from: string, to: string) {
      const text = readFileSync(file, 'utf8');
      if (!text.includes(from)) throw new Error(`there is no ${from}`);
      writeFileSync(file, text.replace(from, to));
    },
    async compiled(): Promise<Compiled> {
      const got = await compile({ target: file, cwd: dir, query: 'lighthouses', inputs: {} });
      if ('compiled' in got) return got.compiled;
      throw new Error(got.problems.map(({ message }) => message).join('\n'));
    },
    /** The claims' tests as they are written. */
    async found(disk: Disk) {
      const claims = simulationsIn(dir).simulations.flatMap((one) => one.claims);
      const asked = { compiled: await this.compiled(), claims, seed: 'a', mostFound: claims.length, ...ALL };
      const { found } = await campaign(asked, disk);
      const files = new Map<string, string>();
      for (const { violation, test } of found) {
        const written =
          test && (await writeFound(test, join(dir, 'tests'), around, (one) => replay(one, around, disk)));
        files.set(violation.what, written ? readFileSync(written.file, 'utf8') : 'none');
      }
      return files;
    },
    /** What `pipeline test` says of a test. */
    async tested(disk: Disk, name = 'found-') {
      const { tests, problems } = await findTests([file], around);
      expect(problems).toEqual([]);
      const test = tests.find((one) => basename(one.file).match(name));
      if (!test) throw new Error('there is none');
      const { failures } = await performTest(test, around, {
        forget: true,
        simulated: (one) => replay(one, around, disk),
      });
      return failures.flatMap(failureLines);
    },
    write(text: string) {
      writeFileSync(join(dir, 'tests/a.test.yaml'), text);
    },
  };
}

const RESUMED = ['census.reused > 0 && status == "failed"', 'a run that was cut off fails'] as const;

it('writes what only a crash brings about with the crash, and the test is red until the pipeline is mended', async () => {
  const disk = mounted();
  const place = press([RESUMED]);
  const text = (await place.found(disk)).get(RESUMED[1]) ?? '';
  expect(text).toMatch(/^# Found by pipeline simulate\. .*The process was killed at its operation \d+/);
  expect(text).toMatch(/\nsimulate:\n {2}crash\.0: \[\d+(, \d+)*\]\n {2}'publish#1': \[\d\]\nexpect:\n/);

  const said = await place.tested(disk);
  expect(said.slice(0, 2)).toEqual([`never  ${RESUMED[1]}`, '  it held']);
  expect(said.at(-1)).toMatch(/The process was killed at its operation \d+.* "publish" failed/);

  const moved = text.replace(/crash\.0: \[.*\]/, 'crash.0: [3]');
  expect(moved).not.toBe(text);
  place.write(moved);
  expect((await place.tested(disk, 'a.test.yaml')).slice(0, 2)).toEqual([`never  ${RESUMED[1]}`, '  it held']);

  place.edit('effect: once\n', 'effect: once\n    on_error: continue\n');
  expect(await place.tested(disk)).toEqual([]);
  expect(await place.tested(disk, 'a.test.yaml')).toEqual([]);
});

it('tells in words what a test in words breaks by the same failures, and all else as it was chosen', async () => {
  const disk = mounted();
  const place = press([
    ['ran("publish") && steps.audit.status == "failed"', 'published without an audit'],
    ['status == "waiting"', 'somebody is waited for'],
    ['steps.publish.status == "failed"', 'it is not published'],
  ]);
  const files = await place.found(disk);
  expect(files.get('published without an audit')).toMatch(/\nturns:\n[\s\S]*\nstubs:\n/);
  expect(files.get('it is not published')).toMatch(/\nstubs:\n {2}publish:\n {4}- \{ exit: \d/);
  const hangs = files.get('somebody is waited for');
  expect(hangs).toMatch(/the process of "publish" never ended/i);
  expect(hangs).toMatch(/\nsimulate:\n {2}'publish#1': \[6\]\nexpect:/);
});

it('tells in words also what a process would print that the run did not come to, so that the mended pipeline starts none', async () => {
  const disk = mounted();
  const place = press([['steps.write.status == "failed" && !ran("publish")', 'it is not even published']]);
  place.edit('    effect: once\n', '    effect: once\n    artifacts: ["receipt-*.txt"]\n');
  const text = (await place.found(disk)).get('it is not even published');
  expect(text).toMatch(/\nstubs:\n {2}publish:\n {4}- \{ stdout: "text\\n", files: \{ receipt-a\.txt: /);
  const { test } = readTest(
    join(place.dir, 'tests', readdirSync(join(place.dir, 'tests')).find((one) => one.startsWith('found-')) ?? ''),
  );
  expect(test?.stubs.map(({ pattern }) => pattern)).toEqual(['publish']);
});

it('tells what a later attempt did as it was chosen, since turns know the first alone', async () => {
  const disk = mounted();
  const place = press([['steps.write.error.code == "agent.refusal"', 'it is refused in the end']]);
  place.edit('    output:\n', '    retry: { attempts: 2 }\n    output:\n');
  const compiled = await place.compiled();
  const claims = simulationsIn(place.dir).simulations.flatMap((one) => one.claims);
  for (let number = 0; number < 3_000; number++) {
    const { run, violations, choices } = await judgedRun(compiled, () => seededChoices(String(number)), disk, claims);
    const [violation] = violations;
    if (!violation || !run.acts.some((act) => act.of === 'model' && act.path === 'write' && act.attempt === 2))
      continue;
    const test = foundTest(violation, run, choices.taken(), compiled);
    if (!test) throw new Error('it is no test');
    const written = await writeFound(test, join(place.dir, 'tests'), place.around, (one) =>
      replay(one, place.around, disk),
    );
    expect(readFileSync(written?.file ?? '', 'utf8')).toMatch(/\nsimulate:\n[\s\S]*write@/);
    return;
  }
  throw new Error('no run was refused in its second attempt');
});

describe('what is written of a violation', () => {
  const TURNS = 'turns: { write: { resolve: { title: a, text: a } }, audit: { resolve: { verdict: pass, why: a } } }\n';
  const tail = 'expect: { never: ["true"] }\n';
  const simulated = `name: A\nquery: x\nsimulate: {}\n${tail}`;

  async function written(place: ReturnType<typeof press>, how: string, cameTo: readonly string[]) {
    const disk = mounted();
    const found = { name: 'found-a.test.yaml', told: `name: A\nquery: x\n${TURNS}${how}${tail}`, cameTo, simulated };
    const test = await writeFound(found, join(place.dir, 'tests'), place.around, (one) =>
      replay(one, place.around, disk),
    );
    return readFileSync(test?.file ?? '', 'utf8') === simulated ? 'as it was chosen' : 'in words';
  }

  it('is the words where a run of them comes to the same, and the choices where it does not', async () => {
    const stub = 'stubs: { publish: { exit: 1 } }\n';
    const failed = ['"publish" failed: shell.exit', 'the run is failed'];
    expect(await written(press(), stub, failed)).toBe('in words');
    expect(await written(press(), stub, ['"publish" failed: step.timeout', 'the run is failed'])).toBe(
      'as it was chosen',
    );
    expect(await written(press(), 'stubs: { publish: {} }\n', failed)).toBe('as it was chosen');
  });

  it('is looked for without a process', async () => {
    const place = press();
    const mark = join(place.dir, 'published');
    place.edit('command: [publish, --title, "${{ steps.write.output.title }}"]', `command: [touch, ${mark}]`);
    expect(await written(place, '', ['the run is done'])).toBe('as it was chosen');
    expect(existsSync(mark)).toBe(false);
  });

  it('is nothing where neither breaks it again', async () => {
    const disk = mounted();
    const place = press();
    const found = {
      name: 'found-a.test.yaml',
      told: undefined,
      cameTo: [],
      simulated: simulated.replace('true', 'false'),
    };
    const written = await writeFound(found, join(place.dir, 'tests'), place.around, (one) =>
      replay(one, place.around, disk),
    );
    expect(written).toBeUndefined();
    expect(existsSync(join(place.dir, 'tests/found-a.test.yaml'))).toBe(false);
  });
});

describe('a test whose run can no longer be performed', () => {
  it.each([
    ['id: audit', 'id: review', 'the pipeline has changed: there is no step "audit" any more'],
    [
      'agent: { instructions: You audit a note., prompt: "${{ steps.write.output }}" }',
      'set: { verdict: pass, why: "" }',
      'the pipeline has changed: "audit" asks no model any more',
    ],
  ])('is red, and says so: %s', async (from, to, said) => {
    const disk = mounted();
    const place = press();
    place.write(
      "name: A\nquery: x\nsimulate: { 'audit@1.1': [0, 8] }\nexpect: { never: [{ that: 'status == \"waiting\"', message: it waits }] }\n",
    );
    expect(await place.tested(disk, 'a.test.yaml')).toEqual([]);
    const file = join(place.dir, 'pipeline.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace(from, to)
        .replaceAll('steps.audit', to === 'id: review' ? 'steps.review' : 'steps.audit'),
    );
    expect(await place.tested(disk, 'a.test.yaml')).toContain(said);
  });
});

it('holds a simulated test against everything else that it expects, files of the run too', async () => {
  const disk = mounted();
  const place = press();
  place.edit('    on_error: continue # the audit must not stop the press\n', '    save: audit.json\n');
  const test = (files: string) =>
    `name: A\nquery: x\nsimulate: { crash.0: [14] }\nexpect: { status: done, ran: { contains: [publish] }, files: ${files} }\n`;
  place.write(test('[audit.json]'));
  expect(await place.tested(disk, 'a.test.yaml')).toEqual([]);
  place.write(test('[audit.txt]'));
  expect(await place.tested(disk, 'a.test.yaml')).toEqual(expect.arrayContaining(['files.audit.txt']));
});

it('writes a broken promise as a test that needs no expectation', async () => {
  const disk = mounted();
  const place = press();
  const compiled = await place.compiled();
  const taken: Taken = new Map([['crash.0', [14, 2]]]);
  const run = await simulateRun(compiled, seededChoices('a.1'), disk);
  const found = foundTest({ type: 'promise', what: 'no effect happens twice', said: 'it did' }, run, taken, compiled);
  expect(found).toMatchObject({ told: undefined });
  expect(found?.simulated).toMatch(
    /\nname: no effect happens twice\nquery: lighthouses\nsimulate:\n {2}crash\.0: \[14, 2\]\n$/,
  );
  place.write(found?.simulated ?? '');
  expect(readTest(join(place.dir, 'tests/a.test.yaml')).problems).toEqual([]);
  expect(await place.tested(disk, 'a.test.yaml')).toEqual([]);
});

it.each(['simulate-ten', 'simulate-careless', 'next-loop/skills/assay'])(
  'knows every place of the adversary: %s',
  async (name) => {
    const disk = mounted();
    const got = await compile({ target: join(FIXTURES, name), cwd: FIXTURES, query: ['x', 'y'], inputs: {} });
    if (!('compiled' in got)) throw new Error(got.problems.map(({ message }) => message).join('\n'));
    const taken = new Map<string, readonly number[]>();
    for (let seed = 0; seed < 40; seed++) {
      const choices = seededChoices(`a.${seed}`);
      await simulateRun(got.compiled, choices, disk);
      for (const [place, numbers] of choices.taken()) if (place !== 'query') taken.set(place, numbers);
    }
    expect(taken.size).toBeGreaterThan(3);
    const place = press();
    const written = [...taken].map(([key, numbers]) => `  ${JSON.stringify(key)}: [${numbers.join(', ')}]\n`);
    place.write(`name: A\nquery: x\nsimulate:\n${written.join('')}`);
    const { test, problems } = readTest(join(place.dir, 'tests/a.test.yaml'));
    expect(problems).toEqual([]);
    if (!test) throw new Error('it cannot be read');
    const failures = await replay({ ...test, target: join(FIXTURES, name) }, { cwd: FIXTURES }, disk);
    expect(failures.map(({ what }) => what)).not.toContain('simulate');
  },
);
