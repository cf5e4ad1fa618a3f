import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { closingLines } from '../../src/cli/closing.js';
import { failedSteps } from '../../src/cli/failed-steps.js';
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
