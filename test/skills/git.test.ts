import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { gitTree } from '../../src/skills/git.js';
import type { GitSource } from '../../src/skills/source.js';
import { folder } from '../load/arena.js';

const ENV = { PATH: process.env.PATH ?? '', HOME: '/nowhere' };
const never = new AbortController().signal;
const at = (url: string, ref?: string): GitSource => ({
  type: 'git',
  url,
  source: url,
  sourceType: 'git',
  ...(ref === undefined ? {} : { ref }),
});

function git(dir: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  const ran = spawnSync('git', [...who, ...args], { cwd: dir, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return ran.stdout.trim();
}

function repository(
  files: Readonly<Record<string, string | Uint8Array>>,
  more: (dir: string) => void = () => {},
): string {
  const dir = folder(files);
  git(dir, 'init', '--quiet', '--initial-branch', 'main');
  more(dir);
  git(dir, 'add', '--all');
  git(dir, 'commit', '--quiet', '-m', 'x');
  return dir;
}

const leftBehind = () => readdirSync(tmpdir()).filter((name) => name.startsWith('pipeline-git-'));

describe('a repository as a tree of files', () => {
  it('has its regular files byte for byte, as they were committed', async () => {
    const bytes = new Uint8Array([0, 10, 13, 10, 255, 254, 10]);
    const dir = repository(
      { 'a.bin': bytes, 'b/ü 中.txt': 'x\r\n', 'empty.md': '', '.gitattributes': '* text=auto eol=crlf\n' },
      (d) => chmodSync(path.join(d, 'a.bin'), 0o755),
    );
    const tree = await gitTree(at(`file://${dir}`), { env: ENV, signal: never });
    onTestFinished(tree.close);
    expect(tree.commit).toBe(git(dir, 'rev-parse', 'HEAD'));
    expect(tree.files.map(({ path: name, isExecutable }) => `${name} ${isExecutable}`)).toEqual([
      '.gitattributes false',
      'a.bin true',
      'b/ü 中.txt false',
      'empty.md false',
    ]);
    const blobs = await tree.read(tree.files);
    expect(blobs.map((blob) => blob.length)).toEqual(tree.files.map((file) => file.bytes));
    expect([...(blobs[3] ?? [1])]).toEqual([]);
    expect(Buffer.from(blobs[2] ?? []).toString()).toBe(`${git(dir, 'show', 'HEAD:b/ü 中.txt')}\n`);
  });

  it('leaves links and other repositories out', async () => {
    const dir = repository({ 'a.md': 'x' }, (d) => symlinkSync('/etc/passwd', path.join(d, 'link')));
    const head = git(dir, 'rev-parse', 'HEAD');
    git(dir, 'update-index', '--add', '--cacheinfo', `160000,${head},module`);
    git(dir, 'commit', '--quiet', '-m', 'y');
    const tree = await gitTree(at(`file://${dir}`), { env: ENV, signal: never });
    onTestFinished(tree.close);
    expect(tree.files.map((file) => file.path)).toEqual(['a.md']);
    expect(tree.leftOut.map(({ path: name, why }) => `${name}: ${why}`)).toEqual([
      'link: it is a link',
      'module: it is another repository',
    ]);
  });

  it('is that of the branch or the tag that was named', async () => {
    const dir = repository({ 'a.md': 'x' });
    git(dir, 'tag', 'v1');
    writeFileSync(path.join(dir, 'b.md'), 'y');
    git(dir, 'add', '--all');
    git(dir, 'commit', '--quiet', '-m', 'y');
    const tree = await gitTree(at(`file://${dir}`, 'v1'), { env: ENV, signal: never });
    onTestFinished(tree.close);
    expect(tree.files.map((file) => file.path)).toEqual(['a.md']);
    await expect(gitTree(at(`file://${dir}`, 'v9'), { env: ENV, signal: never })).rejects.toThrow(/v9/);
  });

  it('that is too large is not kept', async () => {
    const dir = repository({ 'a.bin': Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7919) % 251)) });
    const before = leftBehind();
    const around = { env: ENV, signal: never, maxRepositoryBytes: 1_000 };
    await expect(gitTree(at(`file://${dir}`), around)).rejects.toMatchObject({ data: { code: 'config.unsafe' } });
    expect(leftBehind()).toEqual(before);
  });
});

it('a server that never answers is left when the person leaves, with no process behind', async () => {
  const stop = new AbortController();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    stop.abort(new Fault('run.cancelled', 'interrupted'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const before = leftBehind();
  await expect(gitTree(at(`https://127.0.0.1:${port}/a.git`), { env: ENV, signal: stop.signal })).rejects.toMatchObject(
    {
      data: { code: 'run.cancelled' },
    },
  );
  expect(leftBehind()).toEqual(before);
  expect(spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout).not.toContain(`127.0.0.1:${port}/a.git`);
});

it('what git is given of the environment names no other repository and holds no key', async () => {
  const dir = repository({ 'a.md': 'x' });
  const bin = folder({});
  const seen = path.join(bin, 'seen');
  const real = spawnSync('bash', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(path.join(bin, 'git'), `#!/bin/sh\nenv >> ${seen}\nexec ${real} "$@"\n`, { mode: 0o755 });
  mkdirSync(path.join(bin, 'home'));
  const env = {
    ...ENV,
    PATH: `${bin}:${ENV.PATH}`,
    OPENAI_API_KEY: 'sk-canary',
    GIT_DIR: '/elsewhere',
    LD_PRELOAD: 'x',
  };
  const tree = await gitTree(at(`file://${dir}`), { env, signal: never });
  onTestFinished(tree.close);
  const { readFileSync } = await import('node:fs');
  const text = readFileSync(seen, 'utf8');
  expect(text).toContain('GIT_TERMINAL_PROMPT=0');
  expect(text).not.toMatch(/sk-canary|^GIT_DIR=|LD_PRELOAD/m);
});
