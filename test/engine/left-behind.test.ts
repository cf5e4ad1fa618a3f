import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_USAGE } from '../../src/core/usage.js';
import { filesIn, folderOfAttempt } from '../../src/engine/left-behind.js';
import type { AttemptRecord } from '../../src/engine/read-attempts.js';
import { runDirAt } from '../../src/engine/run-dir.js';

const attempt = (number: number): AttemptRecord => ({
  number,
  began: '2026-01-01T00:00:00Z',
  status: 'failed',
  rounds: 0,
  toolCalls: 0,
  usage: NO_USAGE,
  models: [],
});

it('lists the first hundred files of a work folder, with how many more there are', () => {
  const work = mkdtempSync(join(tmpdir(), 'left-'));
  mkdirSync(join(work, 'a'));
  writeFileSync(join(work, 'a', 'first.md'), '12345');
  for (let at = 0; at < 104; at++) writeFileSync(join(work, `n${String(at).padStart(3, '0')}`), '');
  const { files, moreFiles } = filesIn(work);
  expect(files[0]).toEqual({ path: 'a/first.md', bytes: 5 });
  expect([files.length, moreFiles]).toEqual([100, 5]);
});

it('finds nothing where nothing is, or is no more', () => {
  const work = mkdtempSync(join(tmpdir(), 'left-'));
  expect(filesIn(join(work, 'gone'))).toEqual({ files: [], moreFiles: 0 });
  const step = runDirAt(work).step('a');
  expect(folderOfAttempt(step, [attempt(1)], 0)).toBeUndefined();
  expect(folderOfAttempt(step, [attempt(1), attempt(2)], 0)).toBeUndefined();
});

it('takes the last attempt for the step folder itself, and earlier ones by their numbers', () => {
  const step = runDirAt(mkdtempSync(join(tmpdir(), 'left-'))).step('a');
  for (const name of ['1', '2', '10']) mkdirSync(join(step.attempts, name), { recursive: true });
  const attempts = [attempt(1), attempt(2), attempt(3), attempt(4)];
  const folders = attempts.map((_, at) => folderOfAttempt(step, attempts, at));
  expect(folders).toEqual([join(step.attempts, '1'), join(step.attempts, '2'), join(step.attempts, '10'), step.dir]);
});
