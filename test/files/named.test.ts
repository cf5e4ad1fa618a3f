import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileNamed, looksLikePath, withoutNote } from '../../src/files/named.js';

describe('a text looks like a path', () => {
  it.each([
    'a.md',
    'a/b',
    '/abs',
    './x',
    '../x',
    'C:\\x',
    'a\\b',
    '.env',
    'phase1/bottleneck.json',
    'x.tar.gz',
    'a/',
    '草稿.md',
    'a-b_c/d',
    'v1.2',
    '.',
  ])('as %j does', (text) => expect(looksLikePath(text)).toBe(true));
});

describe('a text does not look like a path', () => {
  it.each([
    '',
    'draft',
    'none',
    '<file>',
    '<a/b.md>',
    'a b.md',
    'the draft',
    'see x.md',
    'a\tb.c',
    'n/a or none',
    '(none)',
    'draft-2',
    'q1|q2',
    '草稿',
    'a, b.',
  ])('as %j does not', (text) => expect(looksLikePath(text)).toBe(false));
});

describe('the file that a text names', () => {
  it('is looked for as it stands first, then without a note in parentheses', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pipeline-named-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    for (const name of ['a file (2).md', 'draft.md']) writeFileSync(join(dir, name), '');
    expect(fileNamed('a file (2).md', [dir])).toEqual({ type: 'file', path: join(dir, 'a file (2).md') });
    expect(fileNamed('draft.md (the second one)', [dir])).toEqual({ type: 'file', path: join(dir, 'draft.md') });
    expect(fileNamed('missing.md (see above)', [dir])).toEqual({ type: 'missing', path: join(dir, 'missing.md') });
    expect(fileNamed('<the draft>', [dir])).toEqual({ type: 'words' });
    expect(withoutNote('draft.md（第二稿）')).toBe('draft.md');
  });
});
