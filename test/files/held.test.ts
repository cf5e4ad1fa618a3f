import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRead, writeInside } from '../../src/files/folder.js';
import { heldRoot, hold, linksOn } from '../../src/files/held.js';
import { refuseLoose } from '../../src/files/loose.js';

function base(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'held-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const folder of ['a/b', 'other/b']) mkdirSync(join(dir, folder), { recursive: true });
  for (const file of ['a/b/x', 'other/b/x']) writeFileSync(join(dir, file), file);
  return dir;
}

const MOVED = 'when the run began, and now it leads to';

it('holds a path to what it meant, and what lies below it too', () => {
  const dir = base();
  symlinkSync('a', join(dir, 'link'));
  const held = hold([join(dir, 'link'), join(dir, 'a'), join(dir, 'gone')]);
  expect(heldRoot(held, join(dir, 'link/b'))).toEqual({ path: join(dir, 'link/b'), real: join(dir, 'a/b') });
  expect(heldRoot(held, join(dir, 'other'))).toBe(join(dir, 'other'));
  expect(openRead([heldRoot(held, join(dir, 'link/b'))], 'x').path).toBe(join(dir, 'a/b/x'));
  rmSync(join(dir, 'link'));
  for (const name of ['link', 'gone']) symlinkSync('other', join(dir, name));
  for (const name of ['link', 'gone']) {
    const root = heldRoot(held, join(dir, name));
    expect(() => openRead([root], join(dir, name, 'b/x'))).toThrow(MOVED);
    expect(() => writeInside(root, 'new', () => undefined)).toThrow(MOVED);
  }
});

it('lets a folder be made anew, and one that was not there be made', () => {
  const dir = base();
  const held = hold([join(dir, 'a'), join(dir, 'gone')]);
  rmSync(join(dir, 'a'), { recursive: true });
  for (const name of ['a', 'gone']) {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'x'), '');
    expect(openRead([heldRoot(held, join(dir, name))], join(dir, name, 'x')).path).toBe(join(dir, name, 'x'));
  }
});

it('finds the links on the way of a path, those of links and those in a circle', () => {
  const dir = base();
  symlinkSync('two', join(dir, 'one'));
  symlinkSync(join(dir, 'a'), join(dir, 'two'));
  symlinkSync('../b', join(dir, 'a/b/up'));
  symlinkSync('round', join(dir, 'round'));
  expect(linksOn(join(dir, 'a/b/x'))).toEqual([]);
  expect(linksOn(join(dir, 'one/b/up/x'))).toEqual([join(dir, 'one'), join(dir, 'two'), join(dir, 'a/b/up')]);
  expect(linksOn(join(dir, 'round/x')).length).toBeGreaterThan(1);
});

it.each([
  ['a link in a writable folder that leads out of it', { read: ['a/out'], write: ['a'] }, true],
  ['a writable one, though it is a grant itself', { read: [], write: ['a', 'a/out'] }, true],
  ['what lies behind such a link', { read: ['a/out/b'], write: ['a'] }, true],
  ['such a link to what is granted besides', { read: ['a/out', 'other'], write: ['a'] }, false],
  ['a link from one writable folder to another', { read: ['a/out'], write: ['a', 'other'] }, false],
  ['a link that no step may write', { read: ['a/out'], write: ['a/b'] }, false],
  ['a granted link', { read: [], write: ['a/out'] }, false],
])('of %s: %o, refused: %s', (_, { read, write }, isRefused) => {
  const dir = base();
  symlinkSync(join(dir, 'other'), join(dir, 'a/out'));
  const within = (paths: readonly string[]) => paths.map((path) => join(dir, path));
  const refuse = () => refuseLoose({ read: within(read), write: within(write) });
  if (isRefused)
    expect(refuse).toThrow(expect.objectContaining({ data: expect.objectContaining({ code: 'config.unsafe' }) }));
  else expect(refuse).not.toThrow();
});
