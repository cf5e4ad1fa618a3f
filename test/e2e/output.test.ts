import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

const steps = (step: string) => `version: 1\nname: t\nsteps:\n  - id: a\n    ${step}\n`;
const FULL = '✗ stdout cannot be written: no space left on device\n';

it('says on one line that stdout cannot be written, and fails', async () => {
  const it = workspace();
  it.write('pipeline.yaml', steps('set: { x: 1 }'));
  expect(await it.bash('pipeline list > /dev/full')).toMatchObject({ code: 1, stderr: FULL });
  const run = await it.bash('pipeline run --no-detect pipeline.yaml q -q > /dev/full');
  expect(run).toMatchObject({ code: 1, stderr: FULL });
  expect(it.events('t/q').at(-1)).toMatchObject({ type: 'run_ended', status: 'done' });
});

it('keeps the exit code of a run that has not succeeded when stdout cannot be written', async () => {
  const it = workspace();
  it.write('pipeline.yaml', steps('gate: { ask: Well? }'));
  const run = await it.bash('pipeline run --no-detect pipeline.yaml q -q > /dev/full');
  expect(run.code).toBe(7);
  expect(run.stderr).toContain(FULL);
});

it('does its work where nothing can be said on stderr', async () => {
  const it = workspace();
  it.write('pipeline.yaml', steps('set: { x: 1 }'));
  const run = await it.bash('pipeline run --no-detect pipeline.yaml q 2> /dev/full');
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('skill_run/t/q') });
});

it('shows names of skills without what a terminal would obey, and refuses such a name in a pipeline', async () => {
  const it = workspace();
  const dir = 's\u001b[31m';
  it.write(`skills/${dir}/SKILL.md`, '---\nname: s\ndescription: d\n---\nHello');
  it.write('pipeline.yaml', steps('set: { x: 1 }').replace('name: t', 'name: "t\\e[31m"'));
  const refused = await it.pipeline(['run', 'pipeline.yaml', 'q']);
  expect([refused.code, refused.stderr.includes('\u001b')]).toEqual([2, false]);
  for (const query of ['q', 'r']) {
    const { code, stderr } = await it.pipeline(['run', `skills/${dir}`, query]);
    expect([code, stderr.includes('\u001b')]).toEqual([0, false]);
  }
  const name = (query: string) => `skill_run/${dir}/${query}`;
  for (const args of [['list'], ['runs'], ['show', name('q')], ['diff', name('q'), name('r')]]) {
    const { stdout, stderr } = await it.pipeline(args);
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toContain('\u001b');
  }
});
