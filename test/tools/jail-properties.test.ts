import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import type { Tool } from '../../src/core/tool.js';
import { listFilesTool } from '../../src/tools/list-files.js';
import { patchFileTool } from '../../src/tools/patch-file.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { searchFilesTool } from '../../src/tools/search-files.js';
import { writeFileTool } from '../../src/tools/write-file.js';
import { type Place, place } from './context.js';

/** In every file outside of the folders that may be read. */
const CANARY = 'canary-8d02';
/** The name of a file that is only there. */
const FOREIGN = 'foreign-51ab';

const CALLS: readonly (readonly [Tool, (path: string) => JsonObject])[] = [
  [readFileTool, (path) => ({ path })],
  [listFilesTool, (path) => ({ path })],
  [searchFilesTool, (path) => ({ path, text: 'canary' })],
  [writeFileTool, (path) => ({ path, content: 'written' })],
  [patchFileTool, (path) => ({ path, find: 'canary', replace: 'patched' })],
];

/** Folders, files and links of every kind, in all places that a tool looks at; the canary is only outside. */
function hostilePlace(): { at: Place; outside: string } {
  const at = place();
  onTestFinished(() => rmSync(at.base, { recursive: true, force: true }));
  const outside = join(at.base, 'outside');
  for (const dir of [outside, join(outside, 'dir'), `${at.work}-b`, join(at.project, 'src')]) {
    mkdirSync(dir, { recursive: true });
    for (const name of ['file', FOREIGN, 'new.txt']) writeFileSync(join(dir, name), CANARY);
  }
  for (const root of [at.work, at.run, at.skill]) {
    mkdirSync(join(root, 'dir/é'), { recursive: true });
    writeFileSync(join(root, 'dir/file'), 'inside');
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('../../../../../../../outside', join(root, 'up'));
    symlinkSync(join(outside, 'file'), join(root, 'leak'));
    symlinkSync(join(outside, 'none'), join(root, 'dangling'));
    symlinkSync('.', join(root, 'self'));
    symlinkSync('round', join(root, 'round'));
    symlinkSync(outside, join(root, 'dir/out'));
    symlinkSync('/', join(root, 'dir/root'));
  }
  return { at, outside };
}

function outsideOf({ base, work, project }: Place): string {
  const dirs = [join(base, 'outside'), join(base, 'outside/dir'), `${work}-b`, join(project, 'src')];
  const seen = dirs.flatMap((dir) => readdirSync(dir).map((name) => join(dir, name)));
  const text = (path: string) => (statSync(path).isFile() ? readFileSync(path, 'utf8') : 'folder');
  return JSON.stringify([readdirSync(base), readdirSync(project), seen.map((path) => [path, text(path)])]);
}

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
    'root',
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

describe('while a folder is swapped for a link that leads out, and back', () => {
  /** As fast as it can, in a thread of its own. */
  const SWAPPER = `
    const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
    const { workerData, parentPort } = require('node:worker_threads');
    const { dir, aside, outside } = workerData;
    parentPort.postMessage('ready');
    const flag = new Int32Array(workerData.flag);
    let swaps = 0;
    while (Atomics.load(flag, 0) === 0) {
      try {
        renameSync(dir, aside);
        symlinkSync(outside, dir);
        swaps++;
        unlinkSync(dir);
        renameSync(aside, dir);
        for (let pause = Math.random() * 40_000; pause > 0; pause--);
      } catch {
        // A tool has made the folder anew in between.
        try { rmSync(dir, { recursive: true, force: true }); } catch {}
        try { renameSync(aside, dir); } catch {}
      }
    }
    parentPort.postMessage(swaps);`;
  const TRIES = 500;
  const turn = () => new Promise((resolve) => setImmediate(resolve, ''));

  async function calls(at: Place, outside: string): Promise<void> {
    const path = 'dir/file';
    for (let i = 0; i < TRIES; i++) {
      const said = [
        await at.call(readFileTool, { path }),
        await turn(),
        await at.call(writeFileTool, { path, content: 'inside' }),
        await at.call(writeFileTool, { path: `dir/new/${i % 10}`, content: 'inside' }),
        await turn(),
        await at.call(patchFileTool, { path, find: 'canary', replace: 'patched' }),
        ...(i % 10 === 0
          ? [
              await at.call(searchFilesTool, { path: 'dir', text: 'canary' }),
              await at.call(listFilesTool, { path: 'dir' }),
            ]
          : []),
      ].join('\n');
      expect(said).not.toContain(CANARY);
      expect(said).not.toContain(FOREIGN);
    }
    expect(readdirSync(outside).sort()).toEqual(['dir', 'file', FOREIGN, 'new.txt'].sort());
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(CANARY);
  }

  it(`by another thread: ${TRIES} times each tool, 0 bytes outside`, async () => {
    const { at, outside } = hostilePlace();
    rmSync(join(at.work, 'dir'), { recursive: true });
    for (const root of [at.run, at.skill]) rmSync(join(root, 'dir'), { recursive: true });
    mkdirSync(join(at.work, 'dir'));
    writeFileSync(join(at.work, 'dir/file'), 'inside');
    const flag = new SharedArrayBuffer(4);
    const swapper = new Worker(SWAPPER, {
      eval: true,
      workerData: { dir: join(at.work, 'dir'), aside: join(at.base, 'aside'), outside, flag },
    });
    onTestFinished(() => void swapper.terminate());
    await once(swapper, 'message');
    await calls(at, outside);
    Atomics.store(new Int32Array(flag), 0, 1);
    const [swaps] = await once(swapper, 'message');
    expect(swaps).toBeGreaterThan(100);
  }, 120_000);

  it(`between the turns of this thread: ${TRIES} times each tool, 0 bytes outside`, async () => {
    const { at, outside } = hostilePlace();
    for (const root of [at.run, at.skill]) rmSync(join(root, 'dir'), { recursive: true });
    const dir = join(at.work, 'dir');
    let next: NodeJS.Immediate | undefined;
    let swapped = false;
    const swap = () => {
      if (swapped) {
        unlinkSync(dir);
        renameSync(join(at.base, 'aside'), dir);
      } else {
        renameSync(dir, join(at.base, 'aside'));
        symlinkSync(outside, dir);
      }
      swapped = !swapped;
      next = setImmediate(swap);
    };
    swap();
    onTestFinished(() => clearImmediate(next));
    await calls(at, outside);
  }, 120_000);
});
