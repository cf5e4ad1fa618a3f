/** The day's cache, the turns and the waits of a search over the network. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DBLP, OPENALEX } from './paper-search-answers.js';
import { body, json, serve, status } from './paper-search-servers.js';
import { importScript } from './script.js';

const QUERY = '--query=sparse attention';
const entries = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('the cache', () => {
  it('answers the same request for a day, in a folder that is its owner’s alone', async () => {
    const servers = await serve({ openalex: json(OPENALEX) });
    const first = await servers.search(['--sources=openalex', QUERY]);
    const again = await servers.search(['--sources=openalex', QUERY]);
    expect(again.stdout).toBe(first.stdout);
    expect(servers.asked.openalex).toHaveLength(1);
    await servers.search(['--sources=openalex', QUERY, '--start-year=2019']);
    expect(servers.asked.openalex).toHaveLength(2);
    expect(statSync(servers.cache).mode & 0o777).toBe(0o700);
    const [entry = ''] = entries(servers.cache);
    expect(statSync(join(servers.cache, entry)).mode & 0o777).toBe(0o600);
  });

  it.each<[string, (file: string, whole: string) => void]>([
    ['cut off', (file, whole) => writeFileSync(file, whole.slice(0, 40))],
    ['empty', (file) => writeFileSync(file, '')],
    [
      'of another request',
      (file, whole) => writeFileSync(file, JSON.stringify({ ...JSON.parse(whole), request: 'x' })),
    ],
    [
      'a day old',
      (file, whole) => writeFileSync(file, JSON.stringify({ ...JSON.parse(whole), at: Date.now() - 864e5 })),
    ],
    [
      'of tomorrow',
      (file, whole) => writeFileSync(file, JSON.stringify({ ...JSON.parse(whole), at: Date.now() + 864e5 })),
    ],
    ['no answer', (file, whole) => writeFileSync(file, JSON.stringify({ ...JSON.parse(whole), body: '<html>' }))],
  ])('asks again when the entry is %s', async (_what, spoil) => {
    const servers = await serve({ openalex: json(OPENALEX) });
    const first = await servers.search(['--sources=openalex', QUERY]);
    const file = join(servers.cache, entries(servers.cache)[0] ?? '');
    spoil(file, readFileSync(file, 'utf8'));
    const again = await servers.search(['--sources=openalex', QUERY]);
    expect(again).toEqual(first);
    expect(servers.asked.openalex).toHaveLength(2);
  });

  it('keeps no answer that is none', async () => {
    const servers = await serve({ openalex: body('<html>busy</html>'), dblp: status(404) });
    await servers.search(['--sources=openalex,dblp', QUERY]);
    expect(entries(servers.cache)).toEqual([]);
  });

  it('forgets what is older than a day', async () => {
    const servers = await serve({ dblp: json(DBLP) });
    mkdirSync(servers.cache, { mode: 0o755 });
    const old = join(servers.cache, `${'0'.repeat(64)}.json`);
    const other = join(servers.cache, 'mine.json');
    for (const file of [old, other]) {
      writeFileSync(file, '{}');
      utimesSync(file, 1, 1);
    }
    await servers.search(['--sources=dblp', QUERY]);
    expect(entries(servers.cache)).toHaveLength(2);
    expect(entries(servers.cache)).toContain('mine.json');
    expect(statSync(servers.cache).mode & 0o777).toBe(0o700);
  });

  it('is not used through a link, and the search goes on without it', async () => {
    const servers = await serve({ dblp: json(DBLP) });
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    symlinkSync(elsewhere, servers.cache);
    const ran = await servers.search(['--sources=dblp', QUERY]);
    expect(ran.code).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('lies in the user’s own place for such things', async () => {
    const { defaultCache } = await importScript('paper-search/scripts/cache.mjs');
    expect(defaultCache({ HOME: '/h' }, 'linux')).toBe('/h/.cache/paper-search');
    expect(defaultCache({ HOME: '/h', XDG_CACHE_HOME: '/c' }, 'linux')).toBe('/c/paper-search');
    expect(defaultCache({ HOME: '/h', XDG_CACHE_HOME: 'relative' }, 'linux')).toBe('/h/.cache/paper-search');
    expect(defaultCache({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Caches/paper-search');
  });
});

describe('a wait', () => {
  it('is what Retry-After says, in seconds or as a date, or doubles from one second', async () => {
    const { waitBefore } = await importScript('paper-search/scripts/get.mjs');
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(waitBefore(1, '7', now)).toBe(7000);
    expect(waitBefore(3, '0', now)).toBe(0);
    expect(waitBefore(1, 'Thu, 01 Jan 2026 00:00:09 GMT', now)).toBe(9000);
    expect(waitBefore(1, 'Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
    expect([1, 2, 3].map((attempt) => waitBefore(attempt, null, now))).toEqual([1000, 2000, 4000]);
    expect(waitBefore(2, 'soon', now)).toBe(2000);
  });
});

describe('turns', () => {
  /** Time that passes only by waiting. */
  const standing = (startMs: number) => {
    let nowMs = startMs;
    return {
      now: () => nowMs,
      wait: async (ms: number) => {
        nowMs += ms;
      },
    };
  };

  it('of several searches at once are the distance apart, and each other source’s are its own', async () => {
    const { turn } = await importScript('paper-search/scripts/pace.mjs');
    const folder = join(mkdtempSync(join(tmpdir(), 'turns-')), 'cache');
    const turns: number[] = await Promise.all(
      Array.from({ length: 6 }, (_, place) => turn('arxiv', 3000, folder, standing(10_000 + place * 500))),
    );
    turns.sort((a, b) => a - b);
    for (const [place, at] of turns.slice(1).entries()) expect(at - (turns[place] ?? 0)).toBeGreaterThanOrEqual(3000);
    expect(await turn('dblp', 1500, folder, standing(10_000))).toBe(10_000);
  });

  it('are kept between processes', async () => {
    const { turn } = await importScript('paper-search/scripts/pace.mjs');
    const folder = join(mkdtempSync(join(tmpdir(), 'turns-')), 'cache');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'turn-crossref-10'), '10900');
    expect(await turn('crossref', 1000, folder, standing(10_950))).toBe(11_900);
    writeFileSync(join(folder, 'turn-openreview-10'), 'garbage');
    expect(await turn('openreview', 1000, folder, standing(10_950))).toBe(12_000);
  });

  it('are kept within a process where there is no folder', async () => {
    const { turn } = await importScript('paper-search/scripts/pace.mjs');
    expect(await turn('openalex', 200, '', standing(5000))).toBe(5000);
    expect(await turn('openalex', 200, '', standing(5000))).toBe(5200);
  });

  it('are taken by every request of a search', async () => {
    const servers = await serve({ dblp: json(DBLP) });
    await servers.search(['--sources=dblp', QUERY], { PAPER_SEARCH_DISTANCE_MS: '1' });
    expect(readdirSync(servers.cache).filter((name) => name.startsWith('turn-dblp-'))).not.toEqual([]);
  });
});

describe('a feed', () => {
  it('is decoded once, with nothing a server declares', async () => {
    const { decodeEntities } = await importScript('paper-search/scripts/atom.mjs');
    expect(decodeEntities('&amp;lt; &#x41;&#66; &#xD800;&#0; &nope; &#x110000; &AMP')).toBe('&lt; AB  &nope;  &AMP');
  });

  it('of many openings without an end is refused in linear time', async () => {
    const { parseAtom } = await importScript('paper-search/scripts/atom.mjs');
    expect(() => parseAtom(`<feed>${'<entry '.repeat(500_000)}`)).not.toThrow();
    expect(parseAtom(`<feed>${'<entry/>'.repeat(500_000)}</feed>`)).toEqual([]);
    expect(() => parseAtom(`<feed>${'<entry>'.repeat(500_000)}</feed>`)).toThrow('ends within');
  });
});
