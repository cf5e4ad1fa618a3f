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

it('names each model of a run with the roles that it has, so that none costs unseen', async () => {
  const it = workspace();
  it.write(
    'pipeline.config.yaml',
    'models:\n  judge: { provider: openai, base_url: "http://127.0.0.1:9/v1", model: j-1 }\n',
  );
  const agent = (id: string, more: string) =>
    `  - id: ${id}\n    when: query == "never"\n    agent: { prompt: p${more} }\n    output: { type: object, properties: { x: { type: string } } }\n`;
  it.write('pipeline.yaml', `version: 1\nname: t\nsteps:\n${agent('a', '')}${agent('b', ', model: judge')}`);
  const { code, stderr } = await it.pipeline(['run', 'pipeline.yaml', 'q']);
  expect(code).toBe(0);
  expect(stderr).toContain('model of default: sketch (');
  expect(stderr).toContain('model of judge: openai/j-1 at 127.0.0.1:9 (');
});

it('where the folder it was typed in is gone, each command says so in one line, and exits 2', async () => {
  const it = workspace();
  for (const command of ['list', 'run idea-spark x', 'check', 'doctor', 'runs']) {
    const { code, stdout, stderr } = await it.bash(`mkdir g; cd g; rmdir ../g; pipeline ${command}`);
    expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: '' });
    expect(stderr).toMatch(/^✗ The folder that this was typed in is gone.*\n {2}try .*\n$/);
  }
  expect(await it.bash('mkdir g; cd g; rmdir ../g; pipeline --version')).toMatchObject({ code: 0 });
});

it('an empty name is no run, though every name begins with it', async () => {
  const it = workspace();
  it.write('pipeline.yaml', 'version: 1\nname: t\nsteps:\n  - { id: a, set: { b: 1 } }\n');
  expect(await it.pipeline(['run', 'pipeline.yaml', 'q'])).toMatchObject({ code: 0 });
  for (const command of ['stop', 'resume', 'fork', 'show', 'logs', 'explain', 'open'])
    expect(await it.pipeline([command, '']), command).toMatchObject({ code: 2, stdout: '' });
});
