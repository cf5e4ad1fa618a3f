import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { compileGlob, globFiles, listTree } from '../../src/files/glob.js';

describe('a glob', () => {
  it.each([
    ['*.md', ['a.md', '.md?no'], ['a/b.md', 'a.mdx', '.hidden.md']],
    ['**/*.md', ['a.md', 'a/b/c.md'], ['a/.git/b.md', 'a.txt']],
    ['a/**', ['a/b', 'a/b/c', 'a'], ['b/a', 'ab']],
    ['**/a/**/b', ['a/b', 'x/a/y/z/b'], ['a', 'b', 'x/b']],
    ['draft-?.{md,txt}', ['draft-1.md', 'draft-量.txt'], ['draft-10.md', 'draft-1.html']],
    ['{a,b{c,d}}/x', ['a/x', 'bc/x', 'bd/x'], ['b/x', 'c/x']],
    ['[a-c]x[!0-9]', ['axz', 'bx-'], ['dxz', 'ax1', 'ax']],
    ['[]]', [']'], ['[]']],
    ['[a', ['[a'], ['a']],
    ['.cache/*', ['.cache/x'], ['cache/x', '.cache/.x']],
    ['./a//b', ['a/b'], ['a', 'b']],
    ['a.b', ['a.b'], ['axb']],
    ['$(id)+^|\\', ['$(id)+^|\\'], ['id']],
  ])('%s matches what it should', (pattern, yes, no) => {
    const matches = compileGlob(pattern);
    for (const path of yes.filter((one) => !one.includes('?no'))) expect([path, matches(path)]).toEqual([path, true]);
    for (const path of no) expect([path, matches(path)]).toEqual([path, false]);
  });

  it('means what its plain definition says, for any pattern and path', () => {
    const segment = fc.stringMatching(/^[ab*?]{1,5}$/);
    const pattern = fc.array(fc.oneof(segment, fc.constant('**')), { minLength: 1, maxLength: 5 });
    const path = fc.array(fc.stringMatching(/^[ab.]{1,5}$/), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pattern, path, (segments, names) => {
        expect(compileGlob(segments.join('/'))(names.join('/'))).toBe(defined(segments, names));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is decided fast for patterns that make regular expressions slow', () => {
    expect(compileGlob(`${'*a'.repeat(100)}b`)('a'.repeat(250))).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(50)}b`)('a/'.repeat(500))).toBe(false);
  });

  it('may not stand for thousands of patterns', () => {
    expect(() => compileGlob('{a,b}'.repeat(12))).toThrow(Fault);
  });
});

/** By recursion over the definition; exponential. */
function defined(segments: readonly string[], names: readonly string[]): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return names.length === 0;
  const [name, ...others] = names;
  if (segment === '**')
    return defined(rest, names) || (name !== undefined && !name.startsWith('.') && defined(segments, others));
  if (name === undefined || (name.startsWith('.') && !segment.startsWith('.'))) return false;
  return named(segment, name) && defined(rest, others);
}
function named(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern[0] === '*') return named(pattern.slice(1), name) || (name !== '' && named(pattern, name.slice(1)));
  return name !== '' && (pattern[0] === '?' || pattern[0] === name[0]) && named(pattern.slice(1), name.slice(1));
}

describe('a folder', () => {
  const tree = (files: readonly string[]) => {
    const root = mkdtempSync(join(tmpdir(), 'glob-'));
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '');
    }
    return root;
  };

  it('gives its regular files, sorted, each once, and does not follow links', async () => {
    const root = tree(['b.md', 'a/c.md', 'a/d.txt', 'B.md', '.x/e.md', 'a-b.md']);
    symlinkSync('/etc', join(root, 'etc'));
    symlinkSync('b.md', join(root, 'link.md'));
    symlinkSync('.', join(root, 'a/loop'));
    expect(await globFiles(root, ['**/*.md', '*.md'])).toEqual(['B.md', 'a-b.md', 'a/c.md', 'b.md']);
    expect(await globFiles(root, ['.x/*'])).toEqual(['.x/e.md']);
    expect(await listTree(root, { dot: true, skip: ['a'] })).toEqual(['.x/e.md', 'B.md', 'a-b.md', 'b.md']);
  });

  it('with too many entries is refused', async () => {
    const root = tree(['1', '2', '3', '4']);
    await expect(listTree(root, { maxEntries: 3 })).rejects.toMatchObject({ data: { code: 'step.path' } });
  });
});
