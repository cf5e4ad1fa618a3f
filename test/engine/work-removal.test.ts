import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createWorkRemoval } from '../../src/engine/work-removal.js';

function folderWith(...files: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'removal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const work = join(dir, 'work');
  mkdirSync(work);
  for (const file of files) writeFileSync(join(work, file), 'x');
  return work;
}

it('has removed a full folder when it says so', async () => {
  const work = folderWith('a.md', '.b');
  await createWorkRemoval().remove(work);
  expect(existsSync(work)).toBe(false);
});

it('leaves a folder alone that is made anew after its removal has settled', async () => {
  const removal = createWorkRemoval();
  const work = folderWith();
  await removal.remove(work);
  await removal.settled(work);
  expect(existsSync(work)).toBe(false);
  mkdirSync(work);
  await removal.allSettled();
  expect(existsSync(work)).toBe(true);
});

it('has removed all empty folders when all is settled, and minds none that is gone already', async () => {
  const removal = createWorkRemoval();
  const works = [folderWith(), folderWith(), join(folderWith(), 'never-made')];
  await Promise.all(works.map(removal.remove));
  await removal.allSettled();
  expect(works.map((work) => existsSync(work))).toEqual([false, false, false]);
});
