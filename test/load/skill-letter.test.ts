import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSkill } from '../../src/load/skill.js';
import { letterProblems } from '../../src/load/skill-letter.js';
import { FIXTURES, folder, places } from './arena.js';

/** What the letter says of front matter in a folder. */
function judged(lines: readonly string[], name = 'a-skill') {
  const dir = path.join(folder({ [`${name}/SKILL.md`]: ['---', ...lines, '---', 'body', ''].join('\n') }), name);
  const { skill } = readSkill(dir);
  if (!skill) throw new Error('it cannot be read');
  return letterProblems(skill);
}

const GOOD = ['name: a-skill', 'description: Does it.'];

describe('the letter of the specification', () => {
  it('has nothing against a skill that keeps to it', () => {
    const more = ['license: MIT', 'compatibility: Needs git.', 'metadata:', '  version: "1.0"'];
    expect(judged([...GOOD, ...more, 'allowed-tools: Bash(git add, git log) Read'])).toEqual([]);
    expect(judged([...GOOD, 'allowed-tools: [Read, Grep]'])).toEqual([]);
  });

  it.each([
    ['a name in capitals', ['name: A-Skill', 'description: d'], 'skill-name 2:7'],
    ['a name with an underscore', ['name: a_skill', 'description: d'], 'skill-name 2:7'],
    ['a description that is no text', ['name: a-skill', 'description: 12'], 'skill-description 3:14'],
    ['a license that is no text', [...GOOD, 'license: [MIT]'], 'skill-license 4:10'],
    ['an empty compatibility', [...GOOD, 'compatibility: ""'], 'skill-compatibility 4:16'],
    ['a long compatibility', [...GOOD, `compatibility: ${'x'.repeat(501)}`], 'skill-compatibility 4:16'],
    ['a compatibility that is no text', [...GOOD, 'compatibility: 3'], 'skill-compatibility 4:16'],
    ['metadata with a number', [...GOOD, 'metadata:', '  version: 1.0'], 'skill-metadata 5:12'],
    ['metadata in metadata', [...GOOD, 'metadata:', '  a:', '    b: c'], 'skill-metadata 6:5'],
    ['tools with commas', [...GOOD, 'allowed-tools: Read, Grep'], 'skill-allowed-tools 4:16'],
  ])('objects to %s', (_, lines, place) => {
    expect(places(judged(lines))).toEqual([place]);
  });

  it.each(['a--skill', '-a-skill', 'a-skill-', 'a_skill', 'x'.repeat(65)])('objects to a folder called %s', (name) => {
    const [problem] = judged([`name: ${name}`, 'description: d'], name);
    const said =
      problem ?? readSkill(path.join(folder({ [`${name}/SKILL.md`]: `---\nname: ${name}\n---\nb` }), name)).problems[0];
    expect(said?.rule).toBe('skill-name');
    expect(problem?.edit).toBeUndefined();
  });

  it('does not say again what is said where the skill is read', () => {
    expect(judged(['name: other', 'description: d'])).toEqual([]);
    expect(judged(['description: d'])).toEqual([]);
  });

  it('holds the skills that come with the program to it', () => {
    const skills = path.resolve(FIXTURES, '../../skills');
    for (const name of ['hello', 'idea-spark', 'now', 'paper-search', 'system-health', 'write-a-pipeline']) {
      const { skill } = readSkill(path.join(skills, name), true);
      expect(skill && letterProblems(skill)).toEqual([]);
    }
  });
});
