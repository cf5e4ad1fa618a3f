import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../src/core/json.js';
import { type Blobs, createBlobs, hashFile } from '../../src/engine/blobs.js';
import { realFiles } from '../../src/files/layer.js';
import { faultyFiles } from '../support/faulty-files.js';

let dir: string;
let store: string;
let blobs: Blobs;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'blobs-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  store = join(dir, '.steps/.blobs');
  blobs = createBlobs(store, realFiles);
});
const file = (name: string, content: string, mode = 0o600) => {
  writeFileSync(join(dir, name), content, { mode });
  return join(dir, name);
};

it('gives back what was put, by its hash, and makes its folder only then', () => {
  expect(existsSync(store)).toBe(false);
  const hash = blobs.putBytes(Buffer.from('text'));
  expect(hash).toBe(sha256('text'));
  expect(blobs.read(hash).toString()).toBe('text');
  expect(statSync(store).mode & 0o777).toBe(0o700);
});

it('keeps a file that is changed in its own place afterwards by another name', () => {
  const path = file('a', 'content', 0o700);
  const { sha256: hash, bytes, executable } = blobs.putFile(path);
  expect({ bytes, executable }).toEqual({ bytes: 7, executable: true });
  rmSync(path);
  writeFileSync(path, 'other');
  expect(blobs.read(hash).toString()).toBe('content');
});

it('does not give back what is damaged, and puts it right when it comes again', () => {
  const hash = blobs.putBytes(Buffer.from('text'));
  writeFileSync(join(store, hash), 'texu');
  expect(blobs.has(hash)).toBe(false);
  expect(() => blobs.read(hash)).toThrow('damaged');
  blobs.putFile(file('a', 'text'));
  expect(blobs.read(hash).toString()).toBe('text');
  writeFileSync(join(store, hash), '');
  blobs.putBytes(Buffer.from('text'));
  expect(blobs.has(hash)).toBe(true);
});

it('copies to a place only what is not there already, and mends the mode', () => {
  const hash = blobs.putBytes(Buffer.from('text'));
  const to = join(dir, 'copy');
  expect(blobs.copyTo(hash, to, false)).toBe(true);
  expect(blobs.copyTo(hash, to, false)).toBe(false);
  expect(blobs.copyTo(hash, to, true)).toBe(false);
  expect({ text: readFileSync(to, 'utf8'), mode: statSync(to).mode & 0o777 }).toEqual({ text: 'text', mode: 0o700 });
});

it('removes what a process that died was writing, before it writes itself', () => {
  const files = faultyFiles({ what: 'stop', at: 5 });
  expect(() => createBlobs(store, files).putBytes(Buffer.from('text'))).toThrow();
  expect(readdirSync(store)).toEqual([expect.stringMatching(/^\.[0-9a-f]{16}\.tmp$/)]);
  const hash = blobs.putBytes(Buffer.from('text'));
  expect(readdirSync(store)).toEqual([hash]);
});

describe('the hash of a file', () => {
  it('is none for what is no regular file, which is neither followed nor waited for', () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    symlinkSync(file('a', 'text'), join(dir, 'link'));
    mkdirSync(join(dir, 'folder'));
    expect(['pipe', 'link', 'folder', 'none'].map((name) => hashFile(join(dir, name)))).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('is that of its bytes, whatever its size', () => {
    const big = 'x'.repeat(3 * 1024 * 1024 + 1);
    expect(hashFile(file('big', big))?.sha256).toBe(sha256(big));
    expect(hashFile(file('empty', ''))?.sha256).toBe(sha256(''));
  });
});
