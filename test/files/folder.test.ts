import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/files/atomic-write.js';
import { openRead, rootFor, writeInside } from '../../src/files/folder.js';

let base: string;
let root: string;
let swapper: ChildProcess | undefined;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'folder-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'dir'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(root, 'dir/file'), 'inside');
  writeFileSync(join(base, 'outside/file'), 'outside');
});
afterEach(() => {
  swapper?.kill('SIGKILL');
  swapper = undefined;
});

const write = (path: string, content = 'new') =>
  writeInside(root, path, (target, mode) => writeFileAtomic(target, content, { durable: false, mode: mode ?? 0o600 }));
const read = (path: string) => {
  const { fd } = openRead([root], path);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
};

it('writes into folders that it makes, and reads it back', () => {
  expect(write('new/deeper/file', 'text')).toBe(join(root, 'new/deeper/file'));
  expect(read('new/deeper/file')).toBe('text');
  symlinkSync('dir/file', join(root, 'link'));
  expect(read('link')).toBe('inside');
});

it('gives a grant that names a file the folder around it', () => {
  const file = join(base, 'outside/file');
  expect(rootFor([root, file], file)).toBe(join(base, 'outside'));
  expect(rootFor([root, base], join(base, 'x'))).toBe(base);
  expect(rootFor([root, base], 'x')).toBe(root);
  expect(rootFor([root], '/etc/x')).toBe(root);
});

describe('while another process swaps a folder and a file for links that lead out', () => {
  const TRIES = 2_000;
  /** On a busy machine the other process may stand still with the link in place. */
  const goesOn = (tried: number, wasInside: boolean) => tried < TRIES || (!wasInside && tried < 50 * TRIES);

  beforeEach(async () => {
    swapper = spawn(process.execPath, ['-e', SWAP, root, join(base, 'outside')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(swapper.stdout as NodeJS.ReadableStream, 'data');
  });

  it('no read gives a byte of what is outside', () => {
    const seen = new Set<string>();
    for (let i = 0; goesOn(i, seen.has('inside')); i++) seen.add(attempt(() => read(i % 2 ? 'dir/file' : 'swapped')));
    expect(seen).not.toContain('outside');
    expect(seen).toContain('inside');
  });

  it('no write changes or adds a file outside', () => {
    const seen = new Set<string>();
    const inside = join(root, 'dir/file');
    for (let i = 0; goesOn(i, seen.has(inside)); i++)
      seen.add(attempt(() => write(i % 2 ? 'dir/file' : 'swapped', 'inside')));
    expect(seen).toContain(inside);
    expect(readdirSync(join(base, 'outside'))).toEqual(['file']);
    expect(readFileSync(join(base, 'outside/file'), 'utf8')).toBe('outside');
  });
});

function attempt(act: () => string): string {
  try {
    return act();
  } catch (error) {
    return String(error);
  }
}

const SWAP = `
  const fs = require('node:fs');
  const [root, outside] = process.argv.slice(1);
  process.chdir(root);
  process.stdout.write('on\\n');
  const quiet = (act) => { try { act(); } catch {} };
  for (let end = Date.now() + 60_000; Date.now() < end; ) {
    quiet(() => fs.renameSync('dir', 'kept'));
    quiet(() => fs.symlinkSync(outside, 'dir'));
    quiet(() => { fs.symlinkSync(outside + '/file', 'tmp'); fs.renameSync('tmp', 'swapped'); });
    quiet(() => fs.unlinkSync('dir'));
    quiet(() => fs.renameSync('kept', 'dir'));
    quiet(() => { fs.writeFileSync('tmp', 'inside'); fs.renameSync('tmp', 'swapped'); });
  }`;
