import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from '../../src/engine/lock.js';
import { removeLeftovers, removeRun, sizeOf } from '../../src/engine/remove-run.js';
import { runsOf } from '../../src/engine/run-file.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'remove-run-'));
});

function run(name: string, started: string): string {
  const dir = join(root, 'essay', name);
  mkdirSync(join(dir, '.steps/a/work'), { recursive: true });
  writeFileSync(
    join(dir, 'run.json'),
    JSON.stringify({ run: name, skill: 'essay', slug: name, query: '', started, status: 'done' }),
  );
  writeFileSync(join(dir, 'events.ndjson'), '');
  return dir;
}

const names = () => readdirSync(join(root, 'essay')).sort();
const runs = () => runsOf(join(root, 'essay')).map(({ dir }) => dir.slice(dirname(dir).length + 1));

describe('a run that is removed', () => {
  it('goes with all it holds; what its links name stays', async () => {
    const dir = run('one', '2026-01-01');
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'kept.txt'), 'kept');
    symlinkSync(outside, join(dir, '.steps/a/work/folder'));
    symlinkSync(join(outside, 'kept.txt'), join(dir, 'file'));
    await removeRun(dir);
    expect(names()).toEqual([]);
    expect(readFileSync(join(outside, 'kept.txt'), 'utf8')).toBe('kept');
  });

  it('hands `latest` to the newest that is left, or takes it away with the last', async () => {
    const [one, two, three] = [run('one', '2026-01-01'), run('two', '2026-01-02'), run('three', '2026-01-03')];
    const latest = join(root, 'essay/latest');
    symlinkSync('three', latest);
    await removeRun(one);
    expect(readlinkSync(latest)).toBe('three');
    await removeRun(three);
    expect(readlinkSync(latest)).toBe('two');
    await removeRun(two);
    expect(names()).toEqual([]);
  });

  it('stays whole while a live process works on it', async () => {
    const dir = run('one', '2026-01-01');
    const lock = takeLock(dir);
    await expect(removeRun(dir)).rejects.toMatchObject({ data: { code: 'run.in_use' } });
    expect(runs()).toEqual(['one']);
    lock.release();
    await removeRun(dir);
    expect(names()).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)('goes although a step has left folders that nobody may write to', async () => {
    const dir = run('one', '2026-01-01');
    const sealed = join(dir, '.steps/a/work/sealed');
    mkdirSync(join(sealed, 'deeper'), { recursive: true });
    writeFileSync(join(sealed, 'deeper/file'), '');
    const nobody = 65_534;
    for (const path of [root, dirname(dir), ...below(root)]) chownSync(path, nobody, nobody);
    chmodSync(join(sealed, 'deeper'), 0o500);
    chmodSync(sealed, 0o000);
    process.seteuid?.(nobody);
    try {
      await removeRun(dir);
    } finally {
      process.seteuid?.(0);
    }
    expect(names()).toEqual([]);
  });
});

const below = (dir: string) => readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((path) => join(dir, path));

describe('a removal that was cut off', () => {
  it('has left no run, and its rest goes with the next one', async () => {
    const aside = run('.removed-one-0badcafe', '2026-01-03');
    run('two', '2026-01-01');
    symlinkSync('one', join(root, 'essay/latest'));
    writeFileSync(join(aside, '.lock'), '{}');
    expect(runs()).toEqual(['two']);
    expect(await removeLeftovers(root)).toEqual({ removed: 1, problems: [] });
    expect(names()).toEqual(['latest', 'two']);
    expect(readlinkSync(join(root, 'essay/latest'))).toBe('two');
    expect(await removeLeftovers(root)).toEqual({ removed: 0, problems: [] });
  });

  it('is not looked for behind links', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'remove-run-'));
    const kept = join(elsewhere, '.removed-one-0badcafe');
    mkdirSync(kept);
    mkdirSync(join(root, 'essay'));
    symlinkSync(elsewhere, join(root, 'other'));
    symlinkSync(kept, join(root, 'essay/.removed-two-0badcafe'));
    expect(await removeLeftovers(root)).toEqual({ removed: 0, problems: [] });
    expect(existsSync(kept)).toBe(true);
  });
});

it('counts the files and bytes of a run, not those behind its links', () => {
  const dir = join(root, 'some');
  mkdirSync(join(dir, 'deep'), { recursive: true });
  writeFileSync(join(dir, 'a'), 'x'.repeat(1_000));
  writeFileSync(join(dir, 'deep/b'), 'x'.repeat(24));
  const { files, bytes } = sizeOf(dir);
  expect({ files, bytes }).toEqual({ files: 2, bytes: 1_024 });
  symlinkSync(root, join(dir, 'deep/up'));
  expect(sizeOf(dir)).toEqual({ files: 3, bytes: 1_024 + root.length });
});
