import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const PLAN = `version: 1
name: t
inputs: { n: { type: integer, default: 1 } }
steps:
  - id: a
    shell: { run: 'echo a >> "$PIPELINE_SKILL_DIR/log"; echo hello > a.txt' }
  - id: rounds
    repeat: { until: 'output.audit.n > 0', max: 2 }
    steps:
      - id: draft
        shell: { run: 'echo draft >> "$PIPELINE_SKILL_DIR/log"; date +%N' }
      - id: audit
        shell: { command: [sh, -c, 'echo audit >> "$PIPELINE_SKILL_DIR/log"; echo "{\\"n\\": 1}"'] }
        output: { type: object, properties: { n: { type: integer } }, required: [n] }
  - id: b
    shell: { run: 'echo b >> "$PIPELINE_SKILL_DIR/log"; cat', stdin: '\${{ steps.rounds.output.audit.n }}' }
  - id: c
    shell: { command: [sh, -c, 'echo c >> "$PIPELINE_SKILL_DIR/log"; echo $0', '\${{ inputs.n }}'] , files: [] }
`;

it('forks: a new run takes what is above the step, does that step again, and what depends on a changed value', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  const first = await it.run();
  expect(first.status).toBe('done');
  it.write('log', '');
  const fork = await it.run({ fork: { dir: first.dir }, from: 'audit' });
  expect(fork.status).toBe('done');
  expect(fork.dir).not.toBe(first.dir);
  expect(it.read('log')).toBe('audit\n');
  expect(fork.paths('step_reused')).toEqual(['a', 'rounds/0/draft', 'b', 'c']);
  expect(fork.events.find((event) => event.type === 'step_started' && event.path === 'rounds/0/audit')).toMatchObject({
    because: 'asked for',
  });
  expect(fork.file('a.txt')).toBe('hello\n');
  expect(JSON.parse(fork.file('run.json'))).toMatchObject({
    fork: { run: JSON.parse(first.file('run.json')).run, from: 'rounds/audit' },
  });
  expect(first.file('a.txt')).toBe('hello\n');
});

it('forks with replaced values and inputs; a resume of the fork keeps them, one of the first run has none', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  const first = await it.run();
  it.write('log', '');
  const overrides = { 'steps.b.shell.run': 'echo other >> "$PIPELINE_SKILL_DIR/log"; cat' };
  const fork = await it.run({ fork: { dir: first.dir }, overrides, inputs: { n: 2 } });
  // b and c changed; what runs no process does not see the inputs
  expect(it.read('log')).toContain('other\n');
  it.write('log', '');
  const resumed = await it.run({ resume: { dir: fork.dir }, inputs: { n: 2 } });
  expect(it.read('log')).toBe('');
  expect(resumed.census.reused).toBe(resumed.census.asked);
  const newest = await it.run({ resume: true });
  expect(newest.dir).toBe(first.dir);
  expect(it.read('log')).toBe('');
});

it('forks a fork', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  const first = await it.run();
  const second = await it.run({ fork: { dir: first.dir }, from: 'b' });
  it.write('log', '');
  const third = await it.run({ fork: { dir: second.dir }, from: 'c' });
  expect(it.read('log')).toBe('c\n');
  expect(readdirSync(join(third.dir, '.steps/.origins'))).toEqual(['0001.ndjson', '0002.ndjson']);
});

it('does one step again in the same run, and everything inside it if it is a group', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  const first = await it.run();
  it.write('log', '');
  await it.run({ resume: { dir: first.dir }, from: 'rounds' });
  expect(it.read('log')).toBe('draft\naudit\n');
});

it('refuses a step that is not there, with the id that was meant', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  await expect(it.run({ resume: true, from: 'audti' })).rejects.toMatchObject({
    data: { code: 'input.unknown', hint: 'Did you mean "audit"?' },
  });
});

it('replaces a value of a step by its id, or by the ids of the groups around it', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  const first = await it.run();
  for (const path of ['steps.audit.timeout', 'steps.rounds.audit.timeout']) {
    const late = await it.run({ fork: { dir: first.dir }, from: 'audit', overrides: { [path]: '1ms' } });
    expect(late.fault).toMatchObject({ code: 'step.timeout' });
  }
});

it('refuses values for places that are not there, and values that do not fit', async () => {
  const it = project({ 'pipeline.yaml': PLAN, log: '' });
  const messages = async (overrides: Record<string, string>) =>
    (await it.refused({ overrides })).problems.map(({ message, hint = '', at }) => `${at.file}: ${message} ${hint}`);
  expect(await messages({ 'steps.bb.shell.run': 'x' })).toEqual([
    '--set steps.bb.shell.run: No step has the id "bb". Did you mean "b"?',
  ]);
  expect(await messages({ 'steps.b.shel.run': 'x' })).toEqual([
    '--set steps.b.shel.run: There is no "shel". Did you mean "shell"?',
  ]);
  expect((await messages({ 'steps.b.timeout': '[1]' })).join()).toMatch(/timeout/);
});
