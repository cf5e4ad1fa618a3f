import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFileTool } from '../../src/tools/read-file.js';
import { place } from './context.js';

describe('read_file', () => {
  it('numbers the lines, and says where a part goes on', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'a.txt'), 'one\ntwo\r\nthree\n');
    expect(await call(readFileTool, { path: 'a.txt' })).toBe('     1\tone\n     2\ttwo\n     3\tthree');
    expect(await call(readFileTool, { path: 'a.txt', offset: 2, limit: 1 })).toBe(
      '     2\ttwo\n[lines 2 to 2 of 3; go on with offset 3]',
    );
    expect(await call(readFileTool, { path: 'a.txt', offset: 3, limit: 9 })).toBe('     3\tthree');
    expect(await call(readFileTool, { path: 'a.txt', offset: 4 })).toBe(
      'error: read_file: a.txt has 3 lines; there is no line 4.',
    );
  });

  it('looks in the work folder, then the run folder, then the skill folder', async () => {
    const { call, work, run, skill } = place();
    for (const dir of [work, run, skill]) writeFileSync(join(dir, 'a'), dir);
    writeFileSync(join(run, 'b'), run);
    writeFileSync(join(skill, 'b'), skill);
    writeFileSync(join(skill, 'c'), skill);
    expect(await call(readFileTool, { path: 'a' })).toContain(work);
    expect(await call(readFileTool, { path: 'b' })).toContain(run);
    expect(await call(readFileTool, { path: 'c' })).toContain(skill);
    expect(await call(readFileTool, { path: 'd' })).toMatch(
      /^error: read_file: "d" does not exist\. Looked in: .* list_files\.$/,
    );
  });

  it('reads absolute paths that were granted, and no others', async () => {
    const { call, base } = place({ read: ['data'], readable: ['paper.md'] });
    mkdirSync(join(base, 'data'));
    for (const file of ['data/x', 'paper.md', 'other']) writeFileSync(join(base, file), 'text');
    expect(await call(readFileTool, { path: join(base, 'data/x') })).toBe('     1\ttext');
    expect(await call(readFileTool, { path: join(base, 'paper.md') })).toBe('     1\ttext');
    expect(await call(readFileTool, { path: join(base, 'other') })).toMatch(/^error: .*leads out.*Allowed: /);
    expect(await call(readFileTool, { path: '../../../../../../../other' })).toMatch(/^error: .*leads out/);
  });

  it('gives the start and the end of a long file, within 64 KB, and says how to read the middle', async () => {
    const { call, work } = place();
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i + 1} ${'x'.repeat(40)}`);
    writeFileSync(join(work, 'long'), lines.join('\n'));
    const text = await call(readFileTool, { path: 'long' });
    const [, next, last] =
      /\[lines (\d+) to (\d+) of 5000 are left out; read them with offset (\d+)\]/.exec(text) ?? [];

    expect(Buffer.byteLength(text)).toBeLessThan(65 * 1024);
    expect(text).toContain('line 1 x');
    expect(text).toContain('line 5000 x');
    expect(text).not.toContain(`\tline ${next} x`);
    expect(text).not.toContain(`\tline ${last} x`);
    const rest = await call(readFileTool, { path: 'long', offset: Number(next) });
    expect(rest.startsWith(`${String(next).padStart(6)}\tline ${next} x`)).toBe(true);
    expect(rest).toMatch(/go on with offset \d+\]$/);
  });

  it('cuts a line that is very long', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'wide'), 'x'.repeat(600_000));
    expect(await call(readFileTool, { path: 'wide' })).toMatch(/x… \[596000 more characters\]$/);
  });

  it('says that a file is binary, empty or not UTF-8', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'bin'), Buffer.from([0x89, 0x50, 0, 1]));
    writeFileSync(join(work, 'empty'), '');
    writeFileSync(join(work, 'latin'), Buffer.from([0x63, 0xe9]));
    expect(await call(readFileTool, { path: 'bin' })).toBe(
      'error: read_file: bin is binary (4 bytes); only text can be read.',
    );
    expect(await call(readFileTool, { path: 'empty' })).toBe('(empty is empty)');
    expect(await call(readFileTool, { path: 'latin' })).toContain('not all of it is UTF-8');
  });

  it('does not hang on pipes, devices or huge files, nor follow links out', async () => {
    const { call, work } = place();
    execFileSync('mkfifo', [join(work, 'notes.md')]);
    writeFileSync(join(work, 'big'), '');
    truncateSync(join(work, 'big'), 10 * 1024 ** 3);
    symlinkSync('/dev/zero', join(work, 'z'));
    symlinkSync('/etc', join(work, 'd'));
    expect(await call(readFileTool, { path: 'notes.md' })).toContain('a named pipe');
    expect(await call(readFileTool, { path: 'big' })).toContain('binary (10737418240 bytes)');
    expect(await call(readFileTool, { path: 'z' })).toMatch(/^error: /);
    expect(await call(readFileTool, { path: 'd/passwd' })).toMatch(/^error: /);
    expect(await call(readFileTool, { path: 'd' })).toMatch(/^error: /);
  });

  it('reads no private key, whatever its name', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'key.txt'), '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n');
    expect(await call(readFileTool, { path: 'key.txt' })).toBe(
      'error: read_file: key.txt is a private key; it may not be read.',
    );
  });
});
