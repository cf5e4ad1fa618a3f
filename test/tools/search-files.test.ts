import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchFilesTool } from '../../src/tools/search-files.js';
import { place } from './context.js';

describe('search_files', () => {
  it('finds plain text in work, run and skill folder, with path and line', async () => {
    const { call, work, run, skill } = place();
    writeFileSync(join(work, 'a.md'), 'one\n  a.*b $(x)\n');
    writeFileSync(join(run, 'b.md'), 'a.*b\r\n');
    writeFileSync(join(skill, 'c.md'), 'aXXb');
    expect(await call(searchFilesTool, { text: 'a.*b' })).toBe(`a.md:2: a.*b $(x)\nb.md:1: a.*b`);
    expect(await call(searchFilesTool, { text: 'A.*B' })).toBe('(no line holds this text)');
    expect(await call(searchFilesTool, { text: 'AXX', ignore_case: true, pattern: '*.md' })).toBe(`c.md:1: aXXb`);
    expect(await call(searchFilesTool, { text: 'b', limit: 1 })).toContain('[more than 1 lines;');
  });

  it('looks into nothing secret, binary, hidden or linked', async () => {
    const { call, base, work } = place();
    writeFileSync(join(base, 'outside.md'), 'needle');
    symlinkSync(base, join(work, 'link'));
    symlinkSync(join(base, 'outside.md'), join(work, 'link.md'));
    mkdirSync(join(work, '.git'));
    for (const file of ['.env', 'id_rsa', '.git/HEAD']) writeFileSync(join(work, file), 'needle');
    writeFileSync(join(work, 'bin'), 'needle\0');
    expect(await call(searchFilesTool, { text: 'needle' })).toBe('(no line holds this text)');
    expect(await call(searchFilesTool, { text: 'needle', path: '/etc' })).toMatch(/^error: search_files: .*leads out/);
  });
});
