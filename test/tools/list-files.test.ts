import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFilesTool } from '../../src/tools/list-files.js';
import { place } from './context.js';

describe('list_files', () => {
  it("lists work, run and skill folder, sorted, with sizes, without what is the runner's own", async () => {
    const { call, work, run, skill } = place();
    mkdirSync(join(work, 'sub'));
    for (const file of ['b.md', 'a.md', 'sub/c.txt']) writeFileSync(join(work, file), 'text');
    writeFileSync(join(run, 'events.ndjson'), '{}');
    writeFileSync(join(run, 'notes.md'), 'of');
    writeFileSync(join(skill, 'SKILL.md'), '');
    symlinkSync('/etc', join(work, 'etc'));
    expect(await call(listFilesTool, {})).toBe(
      [
        'work folder: 3 files',
        '         4  a.md',
        '         4  b.md',
        '         4  sub/c.txt',
        '',
        'run folder: 1 file',
        '         2  notes.md',
        '',
        'skill folder: 1 file',
        '         0  SKILL.md',
      ].join('\n'),
    );
  });

  it('narrows by folder, pattern and limit', async () => {
    const { call, base } = place({ read: ['data'] });
    mkdirSync(join(base, 'data/x'), { recursive: true });
    for (const file of ['x/1.md', 'x/2.md', 'x/3.txt', '4.md']) writeFileSync(join(base, 'data', file), '');
    expect(await call(listFilesTool, { path: join(base, 'data'), pattern: '**/*.md', limit: 2 })).toBe(
      `${join(base, 'data')}: 3 files\n         0  4.md\n         0  x/1.md\n[1 more files; narrow with pattern, or raise limit]`,
    );
  });

  it.each(['/etc', '..', 'none', 'a.md'])('says why it does not list %s', async (path) => {
    const { call, work } = place();
    writeFileSync(join(work, 'a.md'), '');
    expect(await call(listFilesTool, { path })).toMatch(/^error: list_files: /);
  });
});
