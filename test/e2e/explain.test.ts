import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

const PLAN = `version: 1
name: t
steps:
  - id: first
    shell: { run: echo one, files: [] }
  - id: second
    set: { text: '\${{ steps.first.output }}' }
`;

async function edited() {
  const it = workspace();
  it.write('pipeline.yaml', PLAN);
  await it.pipeline(['run', './pipeline.yaml', 'q']);
  await it.pipeline(['run', './pipeline.yaml', 'q']);
  it.edit('pipeline.yaml', 'echo one', 'echo two');
  await it.pipeline(['resume', 't/q-2']);
  return it;
}

it('explains a step that ran again, on stdout without escape codes, and as JSON', async () => {
  const it = await edited();
  const text = await it.pipeline(['explain', 't/q-2', 'second']);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toMatch(/^second {2}ran again, done in /);
  expect(text.stdout).toContain('  first gave another value: "one" → "two"\n');
  expect(text.stdout).not.toContain('\u001b');
  const json = JSON.parse((await it.pipeline(['explain', 't/q-2', 'second', '--json'])).stdout);
  expect(json).toMatchObject({
    step: 'second',
    steps: [{ path: 'second', type: 'ran', outcome: 'done', reasons: [{ type: 'used' }, { type: 'part' }] }],
  });
});

it('says which steps and runs there are when none is meant', async () => {
  const it = await edited();
  const step = await it.pipeline(['explain', 't/q', 'secnd']);
  expect(step).toMatchObject({ code: 2, stdout: '' });
  expect(step.stderr).toContain('Did you mean "second"? Steps: first, second.');
  const run = await it.pipeline(['explain', 't/other', 'second', '--json']);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('Runs: t/q');
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'error', exit: 2, fault: { code: 'input.unknown' } });
});

it('exits as diff(1): 0 for equal runs, 1 for others, 2 when a run is not there', async () => {
  const it = await edited();
  const equal = await it.pipeline(['diff', 't/q', 't/q']);
  expect(equal.code).toBe(0);
  expect(equal.stdout).toContain('2 steps equal, 0 differ');
  const other = await it.pipeline(['diff', 't/q', 't/q-2']);
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('run "echo one" → "echo two"');
  const json = await it.pipeline(['diff', 't/q', 't/q-2', '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    isEqual: false,
    equalSteps: 0,
    steps: [{ path: 'first' }, { path: 'second' }],
  });
  expect((await it.pipeline(['diff', 't/q', 't/none'])).code).toBe(2);
});

it('says of a step that it was not reached, and without a step a line for each', async () => {
  const it = workspace();
  it.write('pipeline.yaml', `${PLAN}  - id: ok\n    gate: { ask: 'Well?' }\n  - id: last\n    set: { a: 1 }\n`);
  await it.pipeline(['run', './pipeline.yaml', 'q']);
  expect(await it.pipeline(['explain', 't/q', 'last'])).toMatchObject({
    code: 0,
    stdout: 'last  not reached: the run is waiting\n',
  });
  const all = await it.pipeline(['explain', 't/q']);
  expect(all.stdout).toMatch(
    /^first {2}ran .*\nsecond {2}ran .*\nok {2}ran for the first time, waiting\nlast {2}not reached: .*\n\nwhy {2}pipeline explain t\/q <step>\n$/,
  );
  expect(JSON.parse((await it.pipeline(['explain', 't/q', '--json'])).stdout)).toMatchObject({
    steps: [{ path: 'first' }, { path: 'second' }, { path: 'ok' }],
    notReached: ['last'],
  });
});
