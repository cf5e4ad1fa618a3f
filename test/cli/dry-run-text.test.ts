import { expect, it } from 'vitest';
import { dryRunText } from '../../src/cli/dry-run-text.js';
import { columnsOf } from '../../src/core/columns.js';
import { dryRun } from '../../src/forecast/dry-run.js';
import { planIn, planOf } from '../support/plans.js';
import { project } from '../support/project.js';

const PLAN = `
version: 1
name: shown
description: Shown.
limits: { tokens: 5000, time: 10m }
steps:
  - id: skipped
    when: query == "other"
    shell: { run: "rm -rf x" }
  - id: ask
    title: Ask
    foreach: [one, two]
    retry: { attempts: 2 }
    agent: { instructions: You., prompt: "\${{ item }} of \${{ query }}", max_rounds: 3, tools: [read_file] }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }
    save: ask.json
  - id: tell
    shell: { command: [echo, "\${{ steps.ask.output.size() }}"] }
`;

it('shows the plan in order with what is known of each step', async () => {
  const text = dryRunText(dryRun(await planOf(PLAN), 'cats', {}, { projectDir: '/p' }), { default: null });
  expect(text.slice(text.indexOf('  query'))).toBe(`  query     cats
  models    default
  calls     worst case: 12 model calls, 1 process; stops at 5 000 tokens or 10 min
  cost      unpriced: no price is known for default
  reads     the run and its skill, whatever programs read: they are not confined
  writes    the run, whatever programs write: they are not confined
  network   the models, what the programs do
  starts    echo

Steps, in order
  skipped  shell
      when      query == "other"  (false: it is skipped)
  ask  agent ×2
      each of   a list that is written there
      tools     read_file
      calls     at most 12
      bounds    2 attempts, 10 min each
      saves     ask.json
      prompt 0  one of cats
      prompt 1  two of cats
  tell  shell
      bounds    10 min
      command   echo "\${{ steps.ask.output.size() }}"

Dry run: nothing was started, asked or written.`);
});

it('says what an unknown model is if no server is found', async () => {
  const dry = dryRun(await planOf(PLAN), 'cats', {}, { projectDir: '/p' });
  const text = dryRunText(dry, { default: null }, undefined, 'sketch, unless a server is found');
  expect(text).toContain('  models    default (sketch, unless a server is found)\n');
});

it('speaks of no network for models that are embedded or read from a file', async () => {
  const run = dryRun(await planOf(PLAN.replace(/ {2}- id: tell[\s\S]*/, '')), 'cats', {}, { projectDir: '/p' });
  const network = (label: string | null) => /network {3}(.*)/.exec(dryRunText(run, { default: label }))?.[1];
  expect([null, 'openai/x', 'sketch', 'script:turns.yaml', 'replay'].map(network)).toEqual([
    'the models',
    'the models',
    'none',
    'none',
    'none',
  ]);
});

it('fits the columns of a terminal, also with wide characters and without blanks', async () => {
  const plan = await planOf(PLAN);
  for (const query of ['汉字'.repeat(80), 'x'.repeat(300), 'some words '.repeat(30)]) {
    const text = dryRunText(dryRun(plan, query, {}, { projectDir: '/p' }), {}, 40);
    const wide = text.split('\n').filter((line) => columnsOf(line) > 40);
    expect(wide).toEqual([]);
    expect(text.replace(/\s/g, '')).toContain(query.replace(/\s/g, ''));
  }
});

it('claims no sandbox, and confines what it reads only where no program is started', async () => {
  const plan = await planOf(`
version: 1
name: quiet
description: Quiet.
permissions: { network: true }
steps:
  - id: a
    set: { x: 1 }
`);
  const text = dryRunText(dryRun(plan, 'cats', {}, { projectDir: '/p' }), { default: 'sketch' });
  expect(text).toContain('  reads     the run and its skill\n  writes    the run\n  network   none\n');
});

it('labels the samples of nested loops by their items, and says what is not reached', async () => {
  const plan = await planOf(`
version: 1
name: nested
description: Nested.
steps:
  - id: outer
    foreach: [a, b]
    steps:
      - id: inner
        foreach: [c, d]
        shell: { command: [echo, "\${{ item }}"] }
  - id: over
    when: query == "cats"
    end: { outcome: over, status: done, message: Over }
  - id: after
    set: { x: 1 }
`);
  const text = dryRunText(dryRun(plan, 'cats', {}, { projectDir: '/p' }), {});
  expect(text).toContain('command 0/0  echo c\n');
  expect(text).toContain('command 1/0  echo c\n');
  expect(text).toContain('  after  set\n      not reached: the run has ended (over)\n');
});

it('names the models that may take the place of others, which may be what needs the network', async () => {
  const run = dryRun(await planOf(PLAN), 'cats', {}, { projectDir: '/p', fallbacks: ['near', 'openai/x'] });
  const text = dryRunText(run, { default: 'sketch', near: 'ollama/m', 'openai/x': 'openai/x' });
  expect(text).toContain('  models    default (sketch); falls back to near (ollama/m), openai/x\n');
  expect(text).toContain('  network   the models');
});

const SHELLED = `
version: 1
name: shelled
description: Shelled.
steps:
  - id: a
    agent: { instructions: i, prompt: p, tools: [shell] }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`;

it('says that the commands of an agent are confined and have no network, unless that is permitted or the sandbox is off', async () => {
  const factsOf = async (more: string, options: object = {}) => {
    const text = dryRunText(dryRun(await planOf(SHELLED + more), 'x', {}, { projectDir: '/p', ...options }), {
      default: 'openai/x',
    });
    return text.split('\n').filter((line) => /^ {2}(reads|writes|network|starts) /.test(line));
  };
  expect(await factsOf('')).toEqual([
    '  reads     the run and its skill, the system (shell, in the sandbox)',
    '  writes    the run',
    '  network   the models',
    '  starts    commands that a model writes (shell, in the sandbox)',
  ]);
  expect(await factsOf('permissions: { network: true }\n')).toContain(
    '  network   the models, commands that a model writes (shell, in the sandbox)',
  );
  expect(await factsOf('', { sandbox: 'off' })).toEqual([
    '  reads     the run and its skill, whatever programs read: they are not confined',
    '  writes    the run, whatever programs write: they are not confined',
    '  network   the models, what the programs do',
    '  starts    shell',
  ]);
});

it('says that a skill which its script drives starts the script and what that asks for, not confined', async () => {
  const place = project({ 'skills/one/scripts/run.sh': 'echo\n' });
  const text = dryRunText(dryRun(await planIn(place, 'one'), 'x', {}, { projectDir: place.dir }), {});
  expect(text).toContain('  starts    bash, whatever commands its script asks for\n');
  expect(text).toContain('not confined');
  expect(text).toMatch(/ {2}command {3}bash \S*\/skills\/one\/scripts\/run\.sh next --dir/);
});
