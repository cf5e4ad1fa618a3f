import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newRunsDir, removeLeftovers } from '../../src/testing/runs-dir.js';

const DAY_MS = 86_400_000;

function folder() {
  const runs = newRunsDir();
  onTestFinished(() => rmSync(runs.dir, { recursive: true, force: true }));
  mkdirSync(join(runs.dir, 'essay'));
  writeFileSync(join(runs.dir, 'essay', 'draft.md'), 'x');
  return runs;
}

function age(dir: string, ms: number): void {
  const then = new Date(Date.now() - ms);
  utimesSync(join(dir, '.unfinished'), then, then);
}

it('removes folders of tests that were killed more than a day ago, and no other', async () => {
  const [killed, atWork, kept] = [folder(), folder(), folder()];
  const foreign = join(tmpdir(), `pipeline-test-foreign-${process.pid}`);
  mkdirSync(foreign);
  onTestFinished(() => rmSync(foreign, { recursive: true, force: true }));
  age(killed.dir, DAY_MS + 60_000);
  age(atWork.dir, DAY_MS - 60_000);
  age(kept.dir, 2 * DAY_MS);
  await kept.keep();

  await removeLeftovers(Date.now());

  expect([killed.dir, atWork.dir, kept.dir, foreign].map((dir) => existsSync(dir))).toEqual([false, true, true, true]);
});

it('removes a folder with all that is in it', async () => {
  const { dir, remove } = folder();
  await remove();
  expect(existsSync(dir)).toBe(false);
});
