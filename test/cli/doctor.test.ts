import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findingText } from '../../src/cli/doctor.js';
import {
  configFindings,
  defaultFinding,
  type Finding,
  keysFinding,
  localeFinding,
  nodeFinding,
  programFinding,
  runsFinding,
  sandboxFinding,
  skillFindings,
} from '../../src/cli/doctor-checks.js';
import { columnsOf } from '../../src/core/columns.js';
import { surveyModels } from '../../src/providers/survey.js';
import { openProject } from '../../src/run.js';
import { project } from '../support/project.js';

const survey = (env: Record<string, string>) => surveyModels({ roles: new Map(), env, detect: false, cwd: '/' });
const states = (findings: readonly Finding[]) => findings.map(({ state }) => state);

describe('a finding', () => {
  it.each([
    ['v20.18.3', 'fail'],
    ['v18.20.0', 'fail'],
    ['v20.19.0', 'ok'],
    ['v24.0.0', 'ok'],
  ])('of Node %s is %s', (version, state) => {
    expect(nodeFinding(version).state).toBe(state);
  });

  it('of a program is its version, or what is not possible without it', () => {
    expect(programFinding('git', 'git version 2.39.5 (Apple Git-1)', 'x')).toEqual({
      check: 'git',
      state: 'ok',
      text: '2.39.5',
    });
    expect(programFinding('bash', undefined, 'shell steps')).toMatchObject({ state: 'warn', remedy: 'install bash' });
    expect(programFinding('bash', '', 'shell steps').text).toBe('cannot be run: no shell steps');
  });

  it('of the sandbox says why there is none, and whether it is off', () => {
    const none = { type: 'none', reason: 'bubblewrap is not installed', hint: 'Install it.' } as const;
    expect(sandboxFinding(none, 'auto')).toMatchObject({
      state: 'warn',
      text: `none: ${none.reason}; agents with the tool shell are refused, and a chat asks before each command`,
      remedy: none.hint,
    });
    expect(sandboxFinding(none, 'off')).toMatchObject({ state: 'warn', text: expect.stringContaining('OFF') });
  });

  it('of the keys names those that are set, never what they hold', async () => {
    const env = { OPENAI_API_KEY: 'sk-very-secret', ANTHROPIC_API_KEY: 'other-secret' };
    const found = [keysFinding(await survey(env)), defaultFinding(await survey(env))];
    expect(found[0]?.text).toBe('OPENAI_API_KEY, ANTHROPIC_API_KEY set');
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('of the default model says that sketch is none', async () => {
    expect(defaultFinding(await survey({}))).toMatchObject({ state: 'warn', text: 'sketch: no language model' });
    expect(defaultFinding(await survey({ OPENAI_API_KEY: 'k' }))).toMatchObject({ state: 'ok' });
  });

  it('of the configuration says which file gives what, and fails for what would keep runs from starting', () => {
    const place = project({
      'pipeline.config.yaml': 'models:\n  default: { provider: openai, model: near }\nsandbox: off\n',
      'home/.config/pipeline/pipeline.config.yaml':
        'models:\n  default: { provider: openai, model: far }\n  judge: { provider: openai, model: far }\n',
    });
    const open = () => openProject({ cwd: place.dir, env: { HOME: join(place.dir, 'home') } });
    expect(configFindings(open()).map(({ text }) => text.replace(/^\S*\//, ''))).toEqual([
      'pipeline.config.yaml gives the models default',
      'pipeline.config.yaml gives the models judge',
      'sandbox: off',
    ]);
    place.write('pipeline.config.yaml', 'sandbox: off\n');
    expect(configFindings(open())[0]?.text).toMatch(/pipeline\.config\.yaml gives no model that is in use$/);
    place.write('pipeline.config.yaml', 'models:\n  default: { provider: openai, modle: near }\n');
    expect(states(configFindings(open()))).toContain('fail');
  });

  it('of the skills counts them, and gives the reason and a remedy for each that is skipped or repaired', () => {
    const place = project({
      'skills/good/SKILL.md': '---\nname: good\ndescription: Good.\n---\nBody\n',
      'skills/bad/SKILL.md': '---js\nprocess.exit(1)\n---\nBody\n',
      'skills/odd/SKILL.md': '---\nname: other\ndescription: Odd.\n---\nBody\n',
    });
    const [count, bad, odd, ...more] = skillFindings(openProject({ cwd: place.dir, env: {} }));
    expect(count).toMatchObject({ state: 'ok', text: expect.stringMatching(/^\d+ found, 1 repaired, 1 skipped$/) });
    expect(bad).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/^skipped: .*bad\/SKILL\.md:1: /),
      remedy: 'Write "---" alone in the first line.',
    });
    expect(odd).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/odd\/SKILL\.md:2: The name "other" is not the folder's/),
      remedy: 'Write "name: odd".',
    });
    expect(more).toEqual([]);
  });

  it('of the runs is about the folder where they will be', () => {
    const place = project({});
    expect(runsFinding(place.dir)).toMatchObject({ text: expect.stringMatching(/ (GB|MB) free for skill_run$/) });
    mkdirSync(join(place.dir, 'skill_run'));
    expect(runsFinding(place.dir).state).not.toBe('fail');
  });

  it.each([
    [{}, 'warn'],
    [{ LANG: 'C' }, 'warn'],
    [{ LANG: 'de_DE.UTF-8' }, 'ok'],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }, 'warn'],
    [{ LC_CTYPE: 'C.utf8' }, 'ok'],
  ])('of the locale %j is %s', (env, state) => {
    expect(localeFinding(env).state).toBe(state);
  });
});

it('says each finding whole: broken between words in a terminal, on one line elsewhere', () => {
  const remedy = 'do all of this '.repeat(20).trim();
  const finding = { check: 'default', state: 'warn', text: 'a long text '.repeat(9).trim(), remedy } as const;
  const whole = findingText(finding, undefined);
  expect(whole).toBe(`warn  default  ${finding.text} → ${remedy}`);
  const lines = findingText(finding, 60).split('\n');
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(60);
  for (const line of lines.slice(1)) expect(line).toMatch(/^ {15}\S/);
  expect(lines.map((line) => line.trim()).join(' ')).toBe(whole);
  const hostile = findingText({ ...finding, text: 'two\nlines \u001b[31m' }, undefined);
  expect([hostile.includes('\n'), hostile.includes('\u001b')]).toEqual([false, false]);
});
