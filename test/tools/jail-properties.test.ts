import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CANARY, FOREIGN, hostilePlace, outsideOf } from '../../prove/hostile-place.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Tool } from '../../src/core/tool.js';
import { listFilesTool } from '../../src/tools/list-files.js';
import { patchFileTool } from '../../src/tools/patch-file.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { searchFilesTool } from '../../src/tools/search-files.js';
import { writeFileTool } from '../../src/tools/write-file.js';
import type { Place } from './context.js';

const CALLS: readonly (readonly [Tool, (path: string) => JsonObject])[] = [
  [readFileTool, (path) => ({ path })],
  [listFilesTool, (path) => ({ path })],
  [searchFilesTool, (path) => ({ path, text: 'canary' })],
  [writeFileTool, (path) => ({ path, content: 'written' })],
  [patchFileTool, (path) => ({ path, find: 'canary', replace: 'patched' })],
];

describe('any path, given to any tool that takes one', () => {
  const NAMES = [
    '.',
    '..',
    '',
    'dir',
    'file',
    'out',
    'up',
    'leak',
    'dangling',
    'self',
    'round',
    'base',
    'é',
    'e\u0301',
    'DIR',
    'new.txt',
    'outside',
    'src',
    'work-b',
    '~',
    '%2e%2e',
    '\0',
    'a\\..\\b',
    '.steps',
    '.git',
    '.ssh',
    'etc',
    'passwd',
    'x'.repeat(300),
    '\u202e',
    '．．',
    '..\u2215',
  ];
  const path = (at: Place) =>
    fc
      .tuple(
        fc.constantFrom(
          '',
          '/',
          '//',
          './',
          `${at.work}/`,
          `${at.run}/`,
          `${at.base}/`,
          `${at.project}/`,
          `${at.work}-b/`,
          '~/',
          'file://',
        ),
        fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 7 }),
        fc.constantFrom('/', '/', '//', '/./'),
      )
      .map(([start, names, slash]) => start + names.join(slash));

  it('changes nothing outside, and tells nothing of it', async () => {
    const { at } = hostilePlace();
    const before = outsideOf(at);
    await fc.assert(
      fc.asyncProperty(path(at), async (trick) => {
        for (const [tool, args] of CALLS) {
          const said = await at.call(tool, args(trick));
          const own = said.replaceAll(trick, '').replaceAll(JSON.stringify(trick).slice(1, -1), '');
          expect(own).not.toContain(CANARY);
          if (tool === listFilesTool) expect(own.replace(/^error: .*/s, '')).not.toContain(FOREIGN);
          expect(said).not.toMatch(/root:x?:0/);
        }
        expect(outsideOf(at)).toBe(before);
      }),
      { numRuns: 400 },
    );
  }, 120_000);
});

it(`a folder that is swapped for a link that leads out between the turns of this thread: 500 times each tool, 0 bytes outside`, async () => {
  const { at, outside } = hostilePlace();
  const dir = join(at.work, 'dir');
  for (const root of [at.run, at.skill]) rmSync(join(root, 'dir'), { recursive: true });
  const before = outsideOf(at);
  let next: NodeJS.Immediate | undefined;
  let swapped = false;
  const swap = () => {
    if (swapped) {
      unlinkSync(dir);
      renameSync(`${at.base}-aside`, dir);
    } else {
      renameSync(dir, `${at.base}-aside`);
      symlinkSync(outside, dir);
    }
    swapped = !swapped;
    next = setImmediate(swap);
  };
  swap();
  onTestFinished(() => {
    clearImmediate(next);
    rmSync(`${at.base}-aside`, { recursive: true, force: true });
  });
  for (let i = 0; i < 500; i++) {
    for (const [tool, args] of CALLS) {
      const said = await at.call(tool, args(tool === listFilesTool || tool === searchFilesTool ? 'dir' : 'dir/file'));
      expect(said).not.toContain(CANARY);
      expect(said).not.toContain(FOREIGN);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  expect(outsideOf(at)).toBe(before);
}, 120_000);
