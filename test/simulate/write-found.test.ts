/** Where a found test would be written stands something that a stranger has put there. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeFound } from '../../src/simulate/found/write-found.js';

const FOUND = {
  name: 'found-a0871a81.test.yaml',
  told: undefined,
  cameTo: [],
  simulated: 'name: A\nquery: x\nsimulate: {}\n',
};

it.each([
  ['a link to a file', (file: string, victim: string) => symlinkSync(victim, file)],
  ['a link to nothing', (file: string, victim: string) => symlinkSync(`${victim}.new`, file)],
  ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ['a folder', (file: string) => mkdirSync(file)],
])('writes nothing where there is %s', async (_what, put) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'write-found-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const victim = join(dir, 'victim');
  writeFileSync(victim, 'mine');
  const folder = join(dir, 'tests');
  mkdirSync(folder);
  put(join(folder, FOUND.name), victim);

  const writing = writeFound(FOUND, folder, { cwd: dir, env: {} }, async () => []);

  await expect(writing).rejects.toThrow(/is not a regular file: nothing is written there/);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(existsSync(`${victim}.new`)).toBe(false);
});

it('writes nothing through a folder that is a link', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'write-found-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const elsewhere = join(dir, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(dir, 'tests'));
  const writing = writeFound(FOUND, join(dir, 'tests'), { cwd: dir, env: {} }, async () => []);
  await expect(writing).rejects.toThrow(/is not a folder/);
  expect(existsSync(join(elsewhere, FOUND.name))).toBe(false);
});
