import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { skillNames, skillRoots } from '../../src/load/skill-names.js';
import { discoverSkills, findSkill } from '../../src/load/skills.js';
import { folder, places } from './arena.js';

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nbody`;

describe('roots', () => {
  it('are tried from the nearest to the bundled ones', () => {
    const dir = folder({
      'extra/a/SKILL.md': skill('a'),
      'p/skills/a/SKILL.md': skill('a'),
      'p/.agents/skills/a/SKILL.md': skill('a'),
      'p/.claude/skills/a/SKILL.md': skill('a'),
      'home/skills/a/SKILL.md': skill('a'),
      'home/.claude/skills/a/SKILL.md': skill('a'),
      'bundled/a/SKILL.md': skill('a'),
    });
    const options = {
      projectDir: path.join(dir, 'p'),
      skillsDirs: [path.join(dir, 'extra')],
      homeDir: path.join(dir, 'home'),
      bundledDir: path.join(dir, 'bundled'),
    };
    const roots = [
      'extra',
      'p/skills',
      'p/.agents/skills',
      'p/.claude/skills',
      'home/skills',
      'home/.claude/skills',
      'bundled',
    ];
    expect(skillRoots(options)).toEqual(roots.map((root) => path.join(dir, root)));
    const { skills, shadowed } = discoverSkills(options);
    expect(skills.map((each) => each.dir)).toEqual([path.join(dir, 'extra/a')]);
    expect(shadowed).toHaveLength(6);
    expect(shadowed.every(({ by }) => by === path.join(dir, 'extra/a'))).toBe(true);
  });

  it('that lie on each other count once', () => {
    const dir = folder({ 'skills/a/SKILL.md': skill('a') });
    expect(discoverSkills({ projectDir: dir, homeDir: dir }).shadowed).toEqual([]);
  });

  it('that were named but are not there are said', () => {
    expect(places(discoverSkills({ projectDir: folder({}), skillsDirs: ['/nowhere/at/all'] }).problems)).toEqual([
      'skills-dir 1:1',
    ]);
  });
});

describe('look-up', () => {
  it.each(['paper-search', 'paper_search', 'Paper-Search', 'PAPER_SEARCH'])('%s finds paper-search', (name) => {
    const projectDir = folder({ 'skills/paper-search/SKILL.md': skill('paper-search') });
    expect(findSkill(name, { projectDir }).skill?.name).toBe('paper-search');
  });

  it('does not read the other skills', () => {
    const projectDir = folder({ 'skills/a/SKILL.md': skill('a'), 'skills/b/SKILL.md': '---\nunclosed' });
    expect(findSkill('a', { projectDir })).toMatchObject({ skill: { name: 'a' }, problems: [] });
  });

  it('of a name that two folders of one root stand for is an error that lists both', () => {
    const projectDir = folder({ 'skills/a-b/SKILL.md': skill('a-b'), 'skills/a_b/SKILL.md': skill('a_b') });
    const { skill: found, problems } = findSkill('a-b', { projectDir });
    expect(found).toBeUndefined();
    expect(problems[0]?.message).toContain(path.join(projectDir, 'skills/a-b'));
    expect(problems[0]?.message).toContain(path.join(projectDir, 'skills/a_b'));
    expect(places(discoverSkills({ projectDir }).problems)).toEqual(['skill-clash 1:1']);
  });

  it('of an unknown name suggests the nearest one', () => {
    const projectDir = folder({ 'skills/paper-search/SKILL.md': skill('paper-search') });
    expect(findSkill('pap', { projectDir }).problems[0]?.hint).toBe('Did you mean "paper-search"?');
    expect(findSkill('paper-serach', { projectDir }).problems[0]).toMatchObject({
      rule: 'no-such-skill',
      hint: 'Did you mean "paper-search"?',
    });
  });

  it.each(['../secret', '..', '.', 'a/../../b', ''])('%j never leads out of a root', (name) => {
    const projectDir = folder({ 'skills/a/SKILL.md': skill('a'), 'secret/SKILL.md': skill('secret') });
    expect(findSkill(name, { projectDir }).skill).toBeUndefined();
  });
});

describe('discovery', () => {
  it('skips nothing silently', () => {
    const projectDir = folder({
      'skills/good/SKILL.md': skill('good'),
      'skills/broken/SKILL.md': '---\nname: broken',
      'skills/nothing/README.md': 'x',
      'skills/AGENTS.md': 'a guide, no skill',
    });
    symlinkSync(path.join(projectDir, 'gone'), path.join(projectDir, 'skills/dangling'));
    const { skills, problems } = discoverSkills({ projectDir });
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(problems.map(({ rule, at }) => `${rule} ${path.relative(projectDir, at.file)}`).sort()).toEqual([
      'skill-missing skills/dangling',
      'skill-missing skills/nothing',
      'skill-unclosed skills/broken/SKILL.md',
    ]);
  });

  it('follows a link to a skill folder', () => {
    const dir = folder({ 'elsewhere/a/SKILL.md': skill('a') });
    mkdirSync(path.join(dir, 'p/skills'), { recursive: true });
    symlinkSync(path.join(dir, 'elsewhere/a'), path.join(dir, 'p/skills/a'));
    expect(discoverSkills({ projectDir: path.join(dir, 'p') }).skills.map(({ name }) => name)).toEqual(['a']);
  });

  it('knows names without reading a file', () => {
    const projectDir = folder({ 'skills/a/SKILL.md': '---\nbroken', 'skills/b/pipeline.yaml': '[' });
    expect(skillNames({ projectDir })).toEqual(['a', 'b']);
  });
});
