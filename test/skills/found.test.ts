import { symlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSkills, whyNotNamed } from '../../src/skills/found.js';
import { folderTree, strangePath } from '../../src/skills/tree.js';
import { folder } from '../load/arena.js';

const found = (...paths: readonly string[]) => {
  const files = paths.map((each) => ({ path: each, bytes: 1, isExecutable: false }));
  const { skills, leftOut } = findSkills({ files, leftOut: [], read: async () => [], close: () => undefined }, 'place');
  return { names: skills.map(({ name, skillPath }) => `${name} ${skillPath}`), skills, leftOut };
};

it('a skill is a folder with SKILL.md or pipeline.yaml, wherever it is; scripts alone are none', () => {
  const { names } = found('skills/a/SKILL.md', 'x/y/b/pipeline.yaml', 'c/skill.md', 'scripts/run.sh', 'README.md');
  expect(names).toEqual(['a skills/a/SKILL.md', 'b x/y/b/pipeline.yaml', 'c c/skill.md']);
});

it('a place with a SKILL.md of its own is one skill, with all that is in it', () => {
  const { names, skills } = found('SKILL.md', 'pipeline.yaml', 'skills/a/SKILL.md');
  expect(names).toEqual(['place SKILL.md']);
  expect(skills[0]?.files).toHaveLength(3);
});

it('of two with one name that in skills/ counts, and the other is said', () => {
  const { names, leftOut } = found('.claude/skills/a/SKILL.md', 'z/A/SKILL.md', 'skills/a/SKILL.md');
  expect(names).toEqual(['a skills/a/SKILL.md']);
  expect(leftOut.map(({ path: at }) => at)).toEqual(['.claude/skills/a', 'z/A']);
});

it.each(['a b', '..', '.hidden', 'a\u202Eb', 'a\nb', '-rf', '${{ x }}', 'a/b', 'x'.repeat(65), 'a.b', '\u001b[2J'])(
  'a folder called %j becomes no skill here',
  (name) => expect(whyNotNamed(name)).toBeDefined(),
);

it.each(['a', 'my-skill', 'My_Skill', '中文', '1st'])('a folder called %s may be one', (name) =>
  expect(whyNotNamed(name)).toBeUndefined(),
);

it('no path of a stranger leads out, into .git, or onto a terminal', () => {
  const bits = ['a', '..', '.', '.git', '.GIT', '', '\u001b', '\\', '\0', '~', '\u202e', 'b.md', 'node_modules'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...bits), { minLength: 1, maxLength: 5 }), (parts) => {
      const name = parts.join('/');
      if (strangePath(name) !== undefined) return;
      expect(path.posix.normalize(name)).toBe(name);
      expect(path.resolve('/root', name).startsWith('/root/')).toBe(true);
      expect(parts.every((part) => part === 'a' || part === 'b.md' || part === '~')).toBe(true);
    }),
  );
});

it('a folder is listed without following a link, and what is left out is said with its reason', async () => {
  const dir = folder({ 'SKILL.md': 'x', 'b/c.md': 'yy', 'node_modules/a.js': 'z' });
  symlinkSync('/etc', path.join(dir, 'etc'));
  symlinkSync('b/c.md', path.join(dir, 'c.md'));
  const tree = folderTree(dir);
  expect(tree.files.map((file) => `${file.path} ${file.bytes}`)).toEqual(['SKILL.md 1', 'b/c.md 2']);
  expect(tree.leftOut.map(({ path: at, why }) => `${at}: ${why}`)).toEqual([
    'c.md: it is a link',
    'etc: it is a link',
    'node_modules: it was made by a machine',
  ]);
  const [, second] = await tree.read(tree.files);
  expect(Buffer.from(second ?? []).toString()).toBe('yy');
});
