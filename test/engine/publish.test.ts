import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Artifact } from '../../src/core/outcome.js';
import { type Blobs, createBlobs } from '../../src/engine/blobs.js';
import { createPublisher, type Publisher } from '../../src/engine/publish.js';
import { realFiles } from '../../src/files/layer.js';
import { faultyFiles } from '../support/faulty-files.js';

let base: string;
let run: string;
let blobs: Blobs;
let publisher: Publisher;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'publish-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  run = join(base, 'run');
  mkdirSync(run);
  mkdirSync(join(base, 'outside'));
  blobs = createBlobs(join(run, '.steps/.blobs'), realFiles);
  publisher = again();
});

const again = (earlier: Readonly<Record<string, readonly Artifact[]>> = {}, files = realFiles) =>
  createPublisher(run, blobs, files, new Map(Object.entries(earlier)));
const at = (path: string) => ({ path, family: path });
const artifact = (path: string, text: string): Artifact => ({
  path,
  sha256: blobs.putBytes(Buffer.from(text)),
  bytes: text.length,
  executable: false,
});
const publish = (path: string, ...artifacts: Artifact[]) =>
  publisher.publish(at(path), { artifacts, texts: new Map() });
const read = (path: string) => readFileSync(join(run, path), 'utf8');

it('puts files into folders that it makes, and takes away what the step does not leave any more', () => {
  publish('a', artifact('x/y/one.txt', '1'), artifact('two.txt', '2'));
  expect([read('x/y/one.txt'), read('two.txt')]).toEqual(['1', '2']);
  publish('a', artifact('two.txt', '22'));
  expect(readdirSync(run).sort()).toEqual(['.steps', 'two.txt']);
  expect(read('two.txt')).toBe('22');
});

it('lets no path have two owners, as a file or as a folder', () => {
  publish('a', artifact('x/one.txt', '1'));
  expect(() => publish('b', artifact('x/one.txt', '2'))).toThrow('two steps write x/one.txt');
  expect(() => publish('b', artifact('x', '2'))).toThrow('two steps write x and x/one.txt');
  expect(() => publish('b', artifact('x/one.txt/z', '2'))).toThrow('two steps write x/one.txt and x/one.txt/z');
  expect(read('x/one.txt')).toBe('1');
});

describe('a link in the run folder that leads out', () => {
  const outside = () => join(base, 'outside');

  it('is not written through', () => {
    symlinkSync(outside(), join(run, 'x'));
    expect(() => publish('a', artifact('x/one.txt', '1'))).toThrow('leads out');
    symlinkSync(join(outside(), 'new'), join(run, 'one.txt'));
    expect(() => publish('a', artifact('one.txt', '1'))).toThrow('a link leads to nothing');
    expect(readdirSync(outside())).toEqual([]);
  });

  it('is not followed to take a file away', () => {
    publish('a', artifact('x/one.txt', '1'));
    rmSync(join(run, 'x'), { recursive: true });
    symlinkSync(outside(), join(run, 'x'));
    writeFileSync(join(outside(), 'one.txt'), 'not of the run');
    publish('a');
    expect(readFileSync(join(outside(), 'one.txt'), 'utf8')).toBe('not of the run');
    again({ a: [artifact('x/one.txt', '1')] }).removeOrphans();
    expect(existsSync(join(outside(), 'one.txt'))).toBe(true);
  });
});

it('removes the temporary files of a session that died, in all published folders, and no file that only looks alike', () => {
  const files = faultyFiles({ what: 'stop', at: 2 });
  const dying = again({}, files);
  const text = Buffer.from('1');
  const saved = { ...artifact('x/y/one.txt', '1'), saved: true as const };
  const die = () => dying.publish(at('a'), { artifacts: [saved], texts: new Map([['x/y/one.txt', text]]) });
  expect(die).toThrow();
  expect(readdirSync(join(run, 'x/y'))).toHaveLength(1);
  writeFileSync(join(run, 'x/.notes.tmp'), 'not ours');
  again({ a: [saved] });
  expect(readdirSync(join(run, 'x/y'))).toEqual([]);
  expect(readdirSync(join(run, 'x'))).toEqual(['.notes.tmp', 'y']);
});

it('syncs each file it has written, the folders it lies in, and the run folder, once', () => {
  const synced: string[] = [];
  const opened = new Map<number, string>();
  const watching = {
    ...realFiles,
    open(path: string, flags: number, mode?: number) {
      const fd = realFiles.open(path, flags, mode);
      opened.set(fd, path);
      return fd;
    },
    fsync(fd: number) {
      synced.push(opened.get(fd)?.slice(run.length) ?? '');
      realFiles.fsync(fd);
    },
  };
  publisher = again({}, watching);
  publish('a', artifact('x/y/one.txt', '1'));
  publisher.sync();
  expect(synced.sort()).toEqual(['', '/x', '/x/y', '/x/y/one.txt']);
  publisher.sync();
  expect(synced).toHaveLength(4);
});

it('names what is published below a path by one hash, which a prefix does not change', () => {
  publish('a/b', artifact('b/one.txt', '1'));
  publish('a/c', artifact('c/one.txt', '1'));
  expect(publisher.publishedHash('a/b', 'b/')).toBe(publisher.publishedHash('a/c', 'c/'));
  expect(publisher.publishedHash('a/b', '')).not.toBe(publisher.publishedHash('a/c', ''));
  expect(publisher.publishedHash('d', '')).toBe('');
  expect(publisher.published('a')).toEqual(['b/one.txt', 'c/one.txt']);
});
