import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/core/problems.js';
import { readSkill } from '../../src/load/skill.js';
import { discoverSkills } from '../../src/load/skills.js';
import { FIXTURES, folder, load } from './arena.js';

const CORPUS = path.join(FIXTURES, 'corpus');
const MADE = path.join(FIXTURES, 'skills/made');

interface Listed {
  readonly dir: string;
  readonly original_folder: string;
  readonly oddities: readonly string[];
}
const INDEX: readonly Listed[] = JSON.parse(readFileSync(path.join(CORPUS, 'index.json'), 'utf8'));

/** What has to be said about an oddity; the rest of them are no mistakes. */
const SAID: Readonly<Record<string, RegExp>> = {
  'name-differs-from-folder': /^skill-name$/,
  'invalid-yaml': /^yaml-(colon|indicator)$/,
  'no-frontmatter': /^skill-no-front-matter$/,
  'nonstandard-tools-key': /^skill-tools$/,
};
/** Their `allowed-tools` name tools of another program. */
const FOREIGN_TOOLS = [
  'gotalab__cc-sdd__kiro-spec-init',
  'gotalab__cc-sdd__kiro-spec-quick',
  'gotalab__cc-sdd__kiro-validate-design',
  'ruvnet__claude-flow__github-project-management',
];

/** In a folder of the name that its author gave it. */
function placed({ dir, original_folder }: Listed): string {
  const to = path.join(folder({}), original_folder);
  cpSync(path.join(CORPUS, dir), to, { recursive: true });
  return to;
}

function expectMendable(problems: readonly Problem[]): void {
  for (const { rule, at, hint, message } of problems) {
    expect(at.line, message).toBeGreaterThanOrEqual(1);
    expect(at.file, message).toMatch(/SKILL\.md$/i);
    expect(hint, `${rule}: ${message}`).toBeTruthy();
  }
}

describe('eighty published skills', () => {
  it('are all in the index, each with its licence', () => {
    const dirs = readdirSync(CORPUS, { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() ? [each.name] : [],
    );
    expect(dirs.sort()).toEqual(INDEX.map(({ dir }) => dir).sort());
    expect(dirs).toHaveLength(80);
    const licences = readFileSync(path.join(CORPUS, 'LICENSES.md'), 'utf8');
    for (const { dir } of INDEX) expect(licences).toMatch(new RegExp(`\\| ${dir} \\|.*\\| (MIT|Apache-2\\.0) \\|`));
  });

  it.each(INDEX.map((one) => [one.dir, one] as const))('%s loads, saying what is odd and nothing else', (_, one) => {
    const dir = placed(one);
    const { skill, problems } = readSkill(dir);
    expect(skill).toMatchObject({ name: one.original_folder, runsAs: 'agent' });
    expect(skill?.body.length).toBeGreaterThan(100);
    const wanted = one.oddities.flatMap((oddity) => SAID[oddity] ?? []);
    if (FOREIGN_TOOLS.includes(one.dir)) wanted.push(/^skill-tools$/);
    expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(problems.map(({ rule }) => rule)).toHaveLength(wanted.length);
    for (const [at, rule] of wanted.entries()) expect(problems[at]?.rule).toMatch(rule);
    expectMendable(problems);
  });

  it.each(INDEX.map((one) => [one.dir, one] as const))('%s is a pipeline of one agent', async (_, one) => {
    const dir = placed(one);
    const { plan, problems } = await load(dir, path.dirname(dir));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(plan?.steps).toHaveLength(1);
  });

  it('are strict only when that is asked for: what is said becomes an error', () => {
    for (const one of INDEX) {
      const dir = placed(one);
      const { problems } = readSkill(dir);
      const strict = readSkill(dir, true);
      expect(strict.skill === undefined).toBe(problems.length > 0);
      expect(strict.problems).toEqual(problems.map((problem) => ({ ...problem, severity: 'error' })));
    }
  });
});

describe('28 odd forms', () => {
  it.each(readdirSync(MADE))('%s says each repair, and each refusal, with its line and what to do', (name) => {
    const { problems, skill } = readSkill(path.join(MADE, name));
    expect(skill !== undefined || problems.some(({ severity }) => severity === 'error')).toBe(true);
    expectMendable(problems);
  });

  it('are listed or said: none is missing from a listing without a line', () => {
    const dir = folder({});
    cpSync(MADE, path.join(dir, 'skills'), { recursive: true });
    const { skills, problems } = discoverSkills({ projectDir: dir });
    const silent = readdirSync(MADE).filter(
      (name) =>
        !skills.some((skill) => skill.name === name) && !problems.some(({ at }) => at.file.includes(`/${name}/`)),
    );
    expect(silent).toEqual([]);
    expect(skills).toHaveLength(24);
  });

  it('proto-key changes no prototype', () => {
    const { skill } = readSkill(path.join(MADE, 'proto-key'));
    expect(skill).toBeDefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(skill?.metadata)).toBe(Object.prototype);
  });

  it('vars keeps its body letter by letter: no command and no placeholder in it means anything', () => {
    const text = readFileSync(path.join(MADE, 'vars/SKILL.md'), 'utf8');
    const { skill } = readSkill(path.join(MADE, 'vars'));
    expect(text.endsWith(skill?.body ?? '-')).toBe(true);
    expect(skill?.body).toMatch(/!`/);
  });
});
