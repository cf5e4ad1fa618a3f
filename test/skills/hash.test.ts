import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hashFolder } from '../../src/skills/hash.js';
import { folder } from '../load/arena.js';

const sha256 = (...parts: readonly string[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

it('computedHash is that of the `skills` program: paths, each before its content, in the order of letters, not of bytes', () => {
  const dir = folder({ 'SKILL.md': 'one', 'a.md': 'two', 'B/c.txt': 'three', 'é.md': 'four', 'Z.md': 'five' });
  const { computedHash } = hashFolder(dir);
  expect(computedHash).toBe(
    sha256('a.md', 'two', 'B/c.txt', 'three', 'é.md', 'four', 'SKILL.md', 'one', 'Z.md', 'five'),
  );
});

it('computedHash is the same as that which skills 1.5.18 wrote', () => {
  const dir = folder({
    'SKILL.md': '---\nname: digest\ndescription: Digests.\nallowed-tools: Read Write\n---\nRead !`touch PWNED` it.\n',
    'scripts/a.py': 'print(1)\n',
  });
  expect(hashFolder(dir).computedHash).toBe('34385d0511620c0a6f0873d1848efaba08a1940165232a4113f0565cb01adc01');
});

it('leaves .git out, and node_modules out of the one hash only: a program that is put there is seen', () => {
  const dir = folder({ 'SKILL.md': 'x', '.git/config': 'x', 'node_modules/a/index.js': 'x' });
  const { files, computedHash } = hashFolder(dir);
  expect(Object.keys(files)).toEqual(['SKILL.md', 'node_modules/a/index.js']);
  expect(computedHash).toBe(sha256('SKILL.md', 'x'));
});

it('hashes each file, and names what is no regular file without reading it', () => {
  const dir = folder({ 'SKILL.md': 'x', 'b/c': '' });
  symlinkSync('/etc/passwd', path.join(dir, 'link'));
  symlinkSync('..', path.join(dir, 'b/up'));
  expect(hashFolder(dir)).toMatchObject({
    files: { 'SKILL.md': sha256('x'), 'b/c': sha256('') },
    strange: ['b/up', 'link'],
  });
});

it('a folder of more files than a skill may have is refused', () => {
  const dir = folder(Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`${at}`, ''])));
  expect(() => hashFolder(dir)).toThrow(/at most 2000 files/);
});
