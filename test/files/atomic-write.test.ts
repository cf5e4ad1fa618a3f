import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyFileAtomic, ensureDir, writeFileAtomic } from '../../src/files/atomic-write.js';
import { type FileLayer, realFiles } from '../../src/files/layer.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'atomic-'));
});
const modeOf = (path: string) => statSync(path).mode & 0o777;

/** Each operation in turn fails once; `calls` says which were made. */
function failingAt(n: number, code: string): { files: FileLayer; calls: string[] } {
  const calls: string[] = [];
  const entries = Object.entries(realFiles).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name);
      if (calls.length === n) throw Object.assign(new Error(`${code}: injected`), { code });
      return (call as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { files: Object.fromEntries(entries) as FileLayer, calls };
}

describe('writeFileAtomic', () => {
  it('makes a file that only its owner can read, and replaces it', () => {
    const path = join(dir, 'a.txt');
    writeFileAtomic(path, 'one', { durable: true });
    expect(modeOf(path)).toBe(0o600);
    writeFileAtomic(path, new Uint8Array([0, 255]), { durable: false, mode: 0o700 });
    expect([...readFileSync(path)]).toEqual([0, 255]);
    expect(modeOf(path)).toBe(0o700);
    expect(readdirSync(dir)).toEqual(['a.txt']);
  });

  it('takes a name as long as the file system does', () => {
    const name = 'x'.repeat(255);
    writeFileAtomic(join(dir, name), 'long', { durable: false });
    expect(readdirSync(dir)).toEqual([name]);
  });

  it('replaces a link and leaves what it led to', () => {
    writeFileSync(join(dir, 'target'), 'kept');
    symlinkSync('target', join(dir, 'link'));
    writeFileAtomic(join(dir, 'link'), 'new', { durable: false });
    expect(readFileSync(join(dir, 'target'), 'utf8')).toBe('kept');
    expect(readFileSync(join(dir, 'link'), 'utf8')).toBe('new');
  });

  it('writes the rest when the system takes only a part', () => {
    const files: FileLayer = { ...realFiles, write: (fd, bytes) => realFiles.write(fd, bytes.subarray(0, 2)) };
    writeFileAtomic(join(dir, 'a'), 'seven b', { durable: false, files });
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('seven b');
  });

  it.each(['ENOSPC', 'EIO'])(
    'leaves the old or the new file whole, and nothing else, when any operation fails with %s',
    (code) => {
      const path = join(dir, 'a.txt');
      const { calls } = failingAt(Number.POSITIVE_INFINITY, code);
      for (let n = 1; n <= 12; n++) {
        writeFileSync(path, 'old');
        const { files } = failingAt(n, code);
        try {
          writeFileAtomic(path, 'new', { durable: true, files });
          calls.push('passed');
        } catch (error) {
          expect((error as Error).message).toContain('injected');
        }
        expect(['old', 'new']).toContain(readFileSync(path, 'utf8'));
        expect(readdirSync(dir)).toEqual(['a.txt']);
      }
      expect(calls.length).toBeGreaterThan(0);
    },
  );

  it('syncs the file before it takes its name, and the folder after', () => {
    const { files, calls } = failingAt(0, '');
    writeFileAtomic(join(dir, 'a'), 'x', { durable: true, files });
    expect(calls).toEqual(['open', 'write', 'fsync', 'close', 'rename', 'open', 'fsync', 'close']);
  });
});

it('copies a file with the mode that is asked for', () => {
  writeFileSync(join(dir, 'a'), 'content');
  chmodSync(join(dir, 'a'), 0o644);
  copyFileAtomic(join(dir, 'a'), join(dir, 'b'), { durable: true, mode: 0o700 });
  copyFileAtomic(join(dir, 'a'), join(dir, 'b'), { durable: false });
  expect(readFileSync(join(dir, 'b'), 'utf8')).toBe('content');
  expect(modeOf(join(dir, 'b'))).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['a', 'b']);
});

it('makes folders with their parents for the owner only, and leaves those that are there', () => {
  ensureDir(join(dir, 'a/b/c'));
  ensureDir(join(dir, 'a/b/c'));
  expect(modeOf(join(dir, 'a/b'))).toBe(0o700);
  mkdirSync(join(dir, 'open'));
  chmodSync(join(dir, 'open'), 0o755);
  ensureDir(join(dir, 'open'));
  expect(modeOf(join(dir, 'open'))).toBe(0o755);
  writeFileSync(join(dir, 'file'), '');
  expect(() => ensureDir(join(dir, 'file'))).toThrow('EEXIST');
  expect(() => ensureDir(join(dir, 'file/x'))).toThrow('ENOTDIR');
});
