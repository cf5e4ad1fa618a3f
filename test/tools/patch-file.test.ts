import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { patchFileTool } from '../../src/tools/patch-file.js';
import { place } from './context.js';

describe('patch_file', () => {
  it('replaces one passage, with the permissions kept', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'a'), 'one\ntwo\nthree\n');
    chmodSync(join(work, 'a'), 0o755);
    expect(await call(patchFileTool, { path: 'a', find: 'two\n', replace: '$& 2\nand\n' })).toBe(
      'Patched a: line 2, 2 lines became 3.',
    );
    expect(readFileSync(join(work, 'a'), 'utf8')).toBe('one\n$& 2\nand\nthree\n');
    expect(statSync(join(work, 'a')).mode & 0o777).toBe(0o755);
  });

  it('says what is wrong and leaves the file as it is', async () => {
    const { call, work, run } = place();
    writeFileSync(join(work, 'a'), 'x\nx\n');
    writeFileSync(join(work, 'bin'), Buffer.from([120, 0]));
    writeFileSync(join(work, 'latin'), Buffer.from([120, 0xe9]));
    writeFileSync(join(run, 'published'), 'x');
    writeFileSync(join(run, 'target'), 'x');
    symlinkSync(join(run, 'target'), join(work, 'link'));
    const patch = (path: string) => call(patchFileTool, { path, find: 'x', replace: 'y' });
    expect(await patch('a')).toContain('occurs 2 times, at lines 1, 2');
    expect(await patch('bin')).toContain('is binary (2 bytes)');
    expect(await patch('latin')).toContain('is not UTF-8');
    expect(await patch('none')).toContain('does not exist. Write it with write_file.');
    expect(await patch('published')).toContain(`at ${join(run, 'published')}, which may only be read`);
    expect(await patch('link')).toMatch(/^error: /);
    expect(await patch('../work/a')).toMatch(/^error: /);
    expect(readFileSync(join(run, 'target'), 'utf8')).toBe('x');
  });

  it('loses no change when several patch one file at once', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'log.md'), 'end');
    const names = [1, 2, 3, 4, 5, 6, 7, 8];
    await Promise.all(
      names.map((n) => call(patchFileTool, { path: 'log.md', find: 'end', replace: `line ${n}\nend` })),
    );
    expect(readFileSync(join(work, 'log.md'), 'utf8').split('\n').sort()).toEqual([
      'end',
      ...names.map((n) => `line ${n}`),
    ]);
  });
});
