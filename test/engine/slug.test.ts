import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { sha256 } from '../../src/core/json.js';
import { freeSlug, slugOf } from '../../src/engine/slug.js';

const hash = (query: string) => sha256(query).slice(0, 8);

describe('slugOf', () => {
  it.each([
    ['平安夜的烟花', 'ping-an-ye-de-yan-hua'],
    ['What is a b-tree?', 'what-is-a-b-tree'],
    ['用Python写一个爬虫', 'yong-python-xie-yi-ge-pa-chong'],
    ["It's 5 > 3 && ../etc/passwd", 'its-5-3-etc-passwd'],
    ['  Café  ß  Жук ', 'cafe-ss-zhuk'],
    ['日本語', 'ri-ben-yu'],
    ['-–—x—–-', 'x'],
  ])('writes %j as %j', async (query, slug) => {
    expect(await slugOf(query)).toBe(slug);
  });

  it.each(['', ' ', '!!!', '😀🎉', '①', 'ひらがな'])(
    'stands in for %j, of which nothing is left, with its hash',
    async (query) => {
      expect(await slugOf(query)).toBe(`q-${hash(query)}`);
    },
  );

  it.each(['x'.repeat(400), '量'.repeat(400), 'word '.repeat(20_000)])(
    'cuts a long query and ends in its hash',
    async (query) => {
      const slug = await slugOf(query);
      expect(slug.length).toBeLessThanOrEqual(48);
      expect(slug).toMatch(/^[a-z]+(-[a-z]+)*-[0-9a-f]{8}$/);
      expect(slug.endsWith(hash(query))).toBe(true);
    },
  );

  it.each(['latest', 'LATEST!', 'Nul'])('never is the reserved name that %j would give', async (query) => {
    expect(await slugOf(query)).toBe(`${query.toLowerCase().replace('!', '')}-${hash(query)}`);
  });

  it('is a short safe name for any query', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 })),
        async (query) => {
          const slug = await slugOf(query);
          expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
          expect(slug.length).toBeLessThanOrEqual(48);
          expect(await slugOf(query)).toBe(slug);
        },
      ),
    );
  });
});

describe('freeSlug', () => {
  it('gives each of many runs at once a folder of its own', async () => {
    const dir = join(mkdtempSync(join(tmpdir(), 'slug-')), 'skill_run', 'essay');
    const names = await Promise.all(Array.from({ length: 12 }, () => freeSlug(dir, 'tea', () => false)));
    expect([...names].sort()).toEqual(readdirSync(dir).sort());
    expect(new Set(names)).toEqual(new Set(['tea', ...Array.from({ length: 11 }, (_, i) => `tea-${i + 2}`)]));
    expect(statSync(join(dir, 'tea')).mode & 0o777).toBe(0o700);
  });

  it('says which folder cannot hold a run', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'slug-')), 'skill_run');
    writeFileSync(file, '');
    const error = await freeSlug(file, 'tea', () => false).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Fault);
    expect((error as Fault).data).toMatchObject({ code: 'config.invalid' });
    expect((error as Fault).message).toContain(file);
    expect(existsSync(join(file, 'tea'))).toBe(false);
  });
});
