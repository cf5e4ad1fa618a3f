import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { writeFileTool } from '../../src/tools/write-file.js';
import { place } from './context.js';

describe('write_file', () => {
  it('writes into the work folder, makes folders, and says what it did', async () => {
    const { call, work } = place();
    expect(await call(writeFileTool, { path: 'phase0/a.md', content: '量' })).toBe('Wrote phase0/a.md (3 bytes).');
    expect(await call(writeFileTool, { path: 'phase0/a.md', content: '' })).toBe('Replaced phase0/a.md (0 bytes).');
    expect(readFileSync(join(work, 'phase0/a.md'), 'utf8')).toBe('');
  });

  it('answers no gate, of this run or another, though all of the project may be written', async () => {
    const { call, context, run, project, work } = place({ write: ['project'] });
    const child = { ...context, folders: { ...context.folders, run: join(run, 'part') } };
    mkdirSync(child.folders.run);
    const other = join(project, 'skill_run/essay/milk');
    for (const path of [
      join(run, '.steps/ok/answer.json'),
      join(run, 'events.ndjson'),
      join(other, '.steps/ok/answer.json'),
    ]) {
      const result = await writeFileTool.execute({ path, content: '{}' }, child);
      expect(result).toMatchObject({ type: 'error', text: expect.stringContaining('read-only for tools') });
      expect(existsSync(path)).toBe(false);
    }
    expect(await call(writeFileTool, { path: join(project, 'notes.md'), content: '' })).toMatch(/^Wrote/);
    expect(await call(writeFileTool, { path: join(work, 'notes.md'), content: '' })).toMatch(/^Wrote/);
  });

  it('keeps the permissions of the file it replaces', async () => {
    const { call, work } = place();
    writeFileSync(join(work, 'run.sh'), '');
    chmodSync(join(work, 'run.sh'), 0o755);
    await call(writeFileTool, { path: 'run.sh', content: 'echo' });
    await call(writeFileTool, { path: 'new', content: 'x' });
    expect(statSync(join(work, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(work, 'new')).mode & 0o777).toBe(0o600);
  });

  it('writes where it was granted, and nowhere else', async () => {
    const { call, base, run, skill } = place({ write: ['out', 'report.md'] });
    mkdirSync(join(base, 'out'));
    expect(await call(writeFileTool, { path: join(base, 'out/a/b'), content: 'x' })).toMatch(/^Wrote/);
    expect(await call(writeFileTool, { path: join(base, 'report.md'), content: 'x' })).toMatch(/^Wrote/);
    for (const path of [join(base, 'other'), join(skill, 'SKILL.md'), join(run, 'run.json'), '../x', '/etc/x', '']) {
      expect([path, await call(writeFileTool, { path, content: 'x' })]).toEqual([
        path,
        expect.stringMatching(/^error: write_file: /),
      ]);
    }
    expect(readdirSync(base).sort()).toEqual(['out', 'project', 'report.md']);
  });

  it('cannot forge the run it belongs to, even where the project may be written', async () => {
    const { call, run, project } = place({ write: ['project'] });
    for (const file of ['events.ndjson', '.steps/b/output.json', 'note.md']) {
      expect(await call(writeFileTool, { path: join(run, file), content: 'x' })).toContain(
        'the folders of runs are read-only for tools',
      );
    }
    expect(existsSync(join(run, 'events.ndjson'))).toBe(false);
    expect(await call(writeFileTool, { path: join(project, 'README.md'), content: 'x' })).toMatch(/^Wrote/);
    expect(await call(writeFileTool, { path: join(project, '.git/hooks/pre-commit'), content: 'x' })).toContain(
      'may not be written',
    );
  });

  it('follows no link', async () => {
    const { call, base, work } = place();
    mkdirSync(join(base, 'outside'));
    writeFileSync(join(base, 'outside/f'), 'kept');
    symlinkSync(join(base, 'outside'), join(work, 'd'));
    symlinkSync(join(base, 'outside/f'), join(work, 'f'));
    symlinkSync(join(base, 'outside/new'), join(work, 'n'));
    for (const path of ['d/x', 'd/f', 'f', 'n'])
      expect(await call(writeFileTool, { path, content: 'x' })).toMatch(/^error: /);
    expect(readdirSync(join(base, 'outside'))).toEqual(['f']);
    expect(readFileSync(join(base, 'outside/f'), 'utf8')).toBe('kept');
  });

  it('keeps the old content when the system takes no more bytes', async () => {
    const { context, work, base } = place();
    writeFileSync(join(work, 'a'), 'x'.repeat(1_024));
    const program = join(base, 'write.mjs');
    buildSync({
      stdin: { contents: WRITE, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
    });
    const limited = [
      '-c',
      'ulimit -f 100; trap "" XFSZ; exec "$0" "$@"',
      process.execPath,
      program,
      JSON.stringify(context),
    ];
    const said = execFileSync('bash', limited, { encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual({ type: 'error', text: expect.stringContaining('nothing was changed') });
    expect(readFileSync(join(work, 'a'), 'utf8')).toBe('x'.repeat(1_024));
    expect(readdirSync(work)).toEqual(['a']);
  });
});

const WRITE = `
  import { writeFileTool } from '../../src/tools/write-file.ts';
  const context = { ...JSON.parse(process.argv[2]), held: new Map() };
  process.stdout.write(JSON.stringify(await writeFileTool.execute({ path: 'a', content: 'y'.repeat(200_000) }, context)));`;
