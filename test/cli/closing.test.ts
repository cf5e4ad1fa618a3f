import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { closingLines } from '../../src/cli/closing.js';
import { failedSteps } from '../../src/cli/failed-steps.js';
import { labelled } from '../../src/cli/labels.js';
import { lineOf } from '../../src/cli/logs-lines.js';
import { nearestFirst } from '../../src/cli/named-run.js';
import { planText } from '../../src/cli/show-plan.js';
import { stepText } from '../../src/cli/show-step.js';
import { findRun } from '../../src/engine/find-run.js';
import { planOf } from '../support/plans.js';
import { project } from '../support/project.js';

const stopped = { status: 'limit', message: 'too many', dir: '/p/skill_run/essay/on-tea' } as const;

it('says how to go on, with the options that decide what the models are', () => {
  const options = { skillsDir: ['my skills'], model: 'script:a.yaml', record: '/c', detect: false };
  expect(closingLines(stopped, [], options)).toEqual([
    'too many',
    "  go on  pipeline resume essay/on-tea --skills-dir 'my skills' --model script:a.yaml --record /c --no-detect",
  ]);
  expect(closingLines(stopped, [], { skillsDir: [], detect: true }).at(-1)).toBe(
    '  go on  pipeline resume essay/on-tea',
  );
});

it('says how a gate is answered, and nothing of going on with what is done', () => {
  const gate = { path: 'rounds/0/ok', ask: 'Send it?\n\n\u001b[31mred', choices: ['send it', 'no'] };
  expect(closingLines({ ...stopped, status: 'waiting' }, [gate], { skillsDir: [], detect: true })).toEqual([
    '  rounds/0/ok asks:',
    '    Send it?',
    '',
    '    \\u001b[31mred',
    '  choices: send it, no',
    "  answer pipeline approve essay/on-tea rounds/0/ok --choice 'send it'",
    '  go on  pipeline resume essay/on-tea',
  ]);
  expect(closingLines({ ...stopped, status: 'done' }, [], { skillsDir: [], detect: false })).toEqual(['too many']);
});

it('cuts a long question, and names the file that holds it', () => {
  const ask = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
  const gate = { path: 'ok', ask, choices: ['approve'] };
  const lines = closingLines({ ...stopped, status: 'waiting' }, [gate], { skillsDir: [], detect: true });
  expect(lines).toHaveLength(24 + 1);
  expect(lines).toContain('    line 19');
  expect(lines[21]).toMatch(/^ {4}… 30 more lines: .*skill_run\/essay\/on-tea\/\.steps\/ok\/question\.json$/);
});

it('stands below hints that hold for pipeline resume as well, which has no --resume', () => {
  const src = new URL('../../src/', import.meta.url);
  const below = ['agent', 'core', 'engine', 'process', 'providers', 'steps', 'tools'].flatMap((part) =>
    readdirSync(new URL(part, src), { encoding: 'utf8' }).map((file) => `${part}/${file}`),
  );
  expect(below.filter((file) => readFileSync(new URL(file, src), 'utf8').includes('--resume'))).toEqual([]);
});

it('of a partial run says which item failed, with the command that shows more of it', async () => {
  const file = `version: 1
name: t
steps:
  - id: each
    foreach: ['0', '1', '0']
    min_success: 1
    steps:
      - id: ask
        shell: { command: [bash, -c, 'exit "$1"', x, '\${{ item }}'] }
`;
  const failures = failedSteps();
  const ran = await project({ 'pipeline.yaml': file }).run({ sinks: [{ write: failures.see }] });
  expect(ran.status).toBe('partial');
  expect(closingLines(ran, [], { skillsDir: [], detect: true }, failures.left()).slice(1)).toEqual([
    '  ✗ each/1/ask  the command exited with 1',
    '  look   pipeline show t/a-query each/1/ask',
    '  open   pipeline open t/a-query',
    '  go on  pipeline resume t/a-query',
  ]);
});

it('says once that a signal ended the run', () => {
  const ended = { ...stopped, status: 'cancelled', message: 'interrupted' } as const;
  expect(closingLines(ended, [], { skillsDir: [], detect: true })).toEqual(['  go on  pipeline resume essay/on-tea']);
});

it('names paths of hints as a person here would type them', () => {
  const hint = `Its output is in ${process.cwd()}/skill_run/a/b/stderr.log`;
  const failed = { ...stopped, status: 'failed', fault: { code: 'shell.exit', message: 'x', hint } } as const;
  expect(closingLines(failed, [], { skillsDir: [], detect: true })).toContain(
    `${labelled('try', 'Its output is in skill_run/a/b/stderr.log')}`,
  );
});

it('lists the inputs of a skill in words, not as a schema', async () => {
  const plan = await planOf(`version: 1
name: t
inputs:
  tone: { enum: [plain, formal], default: plain, description: How to write }
  pages: { type: integer }
steps:
  - { id: a, shell: { run: 'true' } }
`);
  expect(planText(plan)).toMatch(
    /Inputs\n {2}tone {3}plain \| formal {2}\(plain\) +How to write\n {2}pages {2}integer/,
  );
});

it('names of the runs there are those first that are near to the one that was meant', () => {
  expect(nearestFirst('loopy/nope', ['a/nope', 'loopy/zzzzzzzz', 'b/x', 'loopy/note'])).toEqual([
    'loopy/note',
    'loopy/zzzzzzzz',
    'a/nope',
    'b/x',
  ]);
});

it('says what to write where a name is the beginning of several runs', async () => {
  const it = project({ 'pipeline.yaml': "version: 1\nname: brief\nsteps:\n  - { id: a, shell: { run: 'true' } }\n" });
  const runs = [await it.run({ query: 'one' }), await it.run({ query: 'two' })];
  const root = dirname(dirname(runs[0]?.dir ?? ''));
  expect(() => findRun('brief', root, it.dir)).toThrow(
    expect.objectContaining({
      data: expect.objectContaining({ hint: 'Name one of them, or the newest: brief/latest' }),
    }),
  );
  expect(findRun('brief/latest', root, it.dir)).toBe(runs[1]?.dir);
});

it('shows of a step that failed the end of its standard error, and a log of an empty query without a colon', async () => {
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: 'echo first >&2; echo last >&2; exit 3' } }\n`,
  });
  const ran = await it.run({ query: '' });
  expect(stepText(ran.dir, 'a')).toContain('the end of its standard error\n  first\n  last');
  const [began] = ran.events.filter(({ type }) => type === 'run_started');
  expect(began && lineOf(began)?.text).toMatch(/ began(, model \w+)?$/);
});
