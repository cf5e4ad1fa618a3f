import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSkill } from '../../src/load/skill.js';
import { discoverSkills, findSkill } from '../../src/load/skills.js';
import { folder, load } from '../load/arena.js';

const skillOf = (text: string | Uint8Array, name = 'a') =>
  readSkill(path.join(folder({ [`${name}/SKILL.md`]: text }), name));
const text = (front: string) => `---\n${front}\n---\nb`;

it.each(['---js', '---javascript', '---JS', '--- js'])(
  'skill-01: front matter that begins with %j is refused before anything could run it',
  (fence) => {
    const flag = path.join(folder({}), 'PWNED');
    const { skill, problems } = skillOf(
      `${fence}\n{name:(require('fs').writeFileSync(${JSON.stringify(flag)},'1'),'x')}\n---\nb`,
    );
    expect(skill).toBeUndefined();
    expect(problems).toMatchObject([{ severity: 'error', rule: 'skill-unsafe' }]);
    expect(problems[0]?.message).toMatch(/YAML/);
    expect(existsSync(flag)).toBe(false);
  },
);

it('skill-03: two skills of one text share nothing that could be changed', () => {
  const same = text('name: a\ndescription: d\nmetadata: { n: 1 }');
  const [one, other] = [skillOf(same), skillOf(same)];
  (one.skill?.metadata as { n: number }).n = 99;
  expect(other.skill?.metadata).toEqual({ n: 1 });
  expect(skillOf(same).skill?.metadata).toEqual({ n: 1 });
});

describe('skill-05: how the bytes are written changes nothing, or is said', () => {
  it.each([
    ['a byte order mark', '\ufeff---\nname: a\ndescription: d\n---\nb'],
    ['Windows line ends', '---\r\nname: a\r\ndescription: d\r\n---\r\nb'],
    ['old Mac line ends', '---\rname: a\rdescription: d\r---\rb'],
    ['blanks after the fences', '---  \nname: a\ndescription: d\n---\t\nb'],
  ])('%s', (_, written) => {
    expect(skillOf(written)).toMatchObject({ skill: { name: 'a', description: 'd', body: 'b' }, problems: [] });
  });

  it('UTF-16 is an error that names the encoding', () => {
    const { skill, problems } = skillOf(Buffer.from('\ufeff---\nname: a\ndescription: d\n---\nb', 'utf16le'));
    expect(skill).toBeUndefined();
    expect(problems[0]?.message).toMatch(/UTF-16/);
  });
});

it('skill-07: a description with ": " is mended and said with its place, and the skill is not missing', () => {
  const dir = folder({ 'skills/a/SKILL.md': text('name: a\ndescription: Use when: the user asks') });
  const { skills, problems } = discoverSkills({ projectDir: dir });
  expect(skills).toMatchObject([{ name: 'a', description: 'Use when: the user asks' }]);
  expect(problems).toMatchObject([{ severity: 'warning', rule: 'yaml-colon', at: { line: 3, column: 14 } }]);
  expect(problems[0]?.hint).toMatch(/quote/);
});

it('skill-09: a tab as indent is an error with its line, never another tree', () => {
  const { skill, problems } = skillOf(text('name: a\ndescription: d\nmetadata:\n\tk: 1'));
  expect(skill).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'error', at: { line: 5, column: 1 } }]);
});

it('skill-11: 20 000 brackets are an ordinary mistake with its place, before they are parsed', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  for (const written of [deep, `steps: ${deep}\n`, `steps:\n  - { id: a, set: { v: ${deep} } }\n`]) {
    const { plan, problems } = await load('one', folder({ 'skills/one/pipeline.yaml': written }));
    expect(plan).toBeUndefined();
    expect(problems).toMatchObject([{ severity: 'error', rule: 'yaml-depth' }]);
  }
  expect(skillOf(text(`name: a\ndescription: d\nmetadata: ${deep}`))).toMatchObject({
    problems: [{ rule: 'yaml-depth' }],
  });
});

describe('skill-13: the folder is the name; what differs from it is said', () => {
  // The design: hyphen, underscore and case do not matter, and a name in SKILL.md never decides which skill runs.
  it.each([
    ['My_Skill', 'my-skill', []],
    ['中文', '中文', []],
    ['123', 'a', ['skill-name']],
    ['[a]', 'a', ['skill-name']],
    ["''", 'a', ['skill-name']],
    ["'../x'", 'a', ['skill-name']],
    ['a'.repeat(70), 'a'.repeat(70), ['skill-name']],
  ])('name %s in the folder %s', (name, dir, said) => {
    const { skill, problems } = skillOf(text(`name: ${name}\ndescription: d`), dir);
    expect(skill?.name).toBe(dir);
    expect(problems.map(({ rule }) => rule)).toEqual(said);
  });

  it('two folders that one name stands for are an error that lists both', () => {
    const skill = (name: string) => text(`name: ${name}\ndescription: d`);
    const projectDir = folder({ 'skills/a-b/SKILL.md': skill('a-b'), 'skills/a_b/SKILL.md': skill('a_b') });
    for (const name of ['a-b', 'a_b', 'A-B']) {
      const found = findSkill(name, { projectDir });
      expect(found.skill).toBeUndefined();
      expect(found.problems[0]?.message).toContain(path.join(projectDir, 'skills/a-b'));
      expect(found.problems[0]?.message).toContain(path.join(projectDir, 'skills/a_b'));
    }
    expect(discoverSkills({ projectDir }).problems).toMatchObject([{ severity: 'error', rule: 'skill-clash' }]);
  });
});

describe('skill-14: a description is held to the limit of the specification', () => {
  // The design: a skill without a description loads and runs by its name, and is not offered to a model.
  it.each([
    ['of 5 000 characters is cut, and its length said', 'd'.repeat(5_000), `${'d'.repeat(1_023)}…`, /5000 characters/],
    ['that is missing', undefined, undefined, /description/],
    ['that is null', 'null', undefined, /description/],
  ])('%s', (_, written, kept, words) => {
    const { skill, problems } = skillOf(text(`name: a${written === undefined ? '' : `\ndescription: ${written}`}`));
    expect(skill?.description).toBe(kept);
    expect(problems).toMatchObject([{ severity: 'warning', rule: 'skill-description' }]);
    expect(problems[0]?.message).toMatch(words);
  });

  it('of several lines is right', () => {
    expect(skillOf(text('name: a\ndescription: |\n  two\n  lines'))).toMatchObject({
      skill: { description: 'two\nlines' },
      problems: [],
    });
  });
});
