/** What a search over the network makes of sources that answer badly. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ARXIV, DBLP } from './paper-search-answers.js';
import { body, json, type Reply, serve, status } from './paper-search-servers.js';
import { importScript } from './script.js';

const QUERY = '--query=sparse attention transformer';

describe('a source that does not answer well', () => {
  it('is asked four times on 5xx, then named', async () => {
    const servers = await serve({ openalex: status(503, { 'retry-after': '0' }), dblp: json(DBLP) });
    const ran = await servers.search(['--sources=openalex,dblp', QUERY]);
    expect(servers.asked.openalex).toHaveLength(4);
    expect(ran.stderr).toBe('Source openalex failed: it answered 503, 4 times\n');
    expect(ran.stdout).toContain('Attention proofs');
  });

  it('is not asked again on 4xx, nor when it asks to wait for long', async () => {
    const servers = await serve({ openalex: status(403), crossref: status(429, { 'retry-after': '3600' }) });
    const ran = await servers.search(['--sources=openalex,crossref', QUERY]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('openalex failed: it answered 403\n');
    expect(ran.stderr).toContain('crossref failed: it answered 429 and asks to wait 3600 s\n');
    expect([servers.asked.openalex.length, servers.asked.crossref.length]).toEqual([1, 1]);
  });

  it('keeps what it found for the queries before', async () => {
    const servers = await serve({ dblp: (...call) => (call[2] === 1 ? json(DBLP) : status(404))(...call) });
    const ran = await servers.search(['--sources=dblp', '--queries=sparse|dense|graph', '--json']);
    const answer = JSON.parse(ran.stdout);
    expect(answer.papers).toHaveLength(2);
    expect(answer.sources[0]).toMatchObject({
      status: 'partial',
      note: '1 of 3 queries answered: it answered 404',
    });
    expect(ran.stderr).toContain('Source dblp: 1 of 3 queries answered');
  });

  const bomb = `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed><entry><title>&b;</title></entry></feed>`;
  const refusal = `<feed><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>incorrect id</summary></entry></feed>`;
  it.each<[string, 'openalex' | 'arxiv', Reply, string]>([
    ['a web page', 'openalex', body('<html>Sign in</html>', 'text/html'), 'its answer is a web page, not JSON'],
    ['a list of nothing known', 'openalex', json({ message: 'hello' }), 'its answer holds no list of papers'],
    ['null', 'openalex', json(null), 'its answer holds no list of papers'],
    ['a text where the list should be', 'openalex', json({ results: 'x' }), 'its answer holds no list of papers'],
    ['deep nesting', 'openalex', body('['.repeat(2_000_000)), 'its answer is no JSON'],
    ['an entity bomb', 'arxiv', body(bomb, 'application/atom+xml'), 'its answer declares a document type'],
    ['a web page for a feed', 'arxiv', body('<!DOCTYPE html><html></html>'), 'its answer is a web page, not a feed'],
    ['half a feed', 'arxiv', body(ARXIV.slice(0, 700)), 'its answer ends within an element entry'],
    [
      'a redirect elsewhere',
      'openalex',
      status(302, { location: 'http://localhost:1/' }),
      'sends us to another address',
    ],
    ['an error as a feed', 'arxiv', body(refusal, 'application/atom+xml'), 'it refused the query: incorrect id'],
    ['a reset', 'openalex', (_request, response) => void response.destroy(), 'it cannot be reached'],
  ])('is named for %s', async (_what, source, reply, reason) => {
    const servers = await serve({ [source]: reply });
    const ran = await servers.search([`--sources=${source}`, QUERY]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(reason);
  });

  it('is left when it never ends its answer, or sends too much', async () => {
    const servers = await serve({
      openalex: (_request, response) => void response.writeHead(200).write('{'),
      crossref: (_request, response) => {
        const part = Buffer.alloc(1024 * 1024, 32);
        const more = () => void (response.destroyed || response.write(part, more));
        response.writeHead(200);
        more();
      },
    });
    const openalex = await servers.search(['--sources=openalex', QUERY], { PAPER_SEARCH_TIMEOUT_MS: '50' });
    expect(openalex.stderr).toContain('openalex failed: no answer within 0.05 s');
    const crossref = await servers.search(['--sources=crossref', QUERY]);
    expect(crossref.stderr).toContain('crossref failed: its answer is longer than 8388608 bytes');
  });

  it('may send us to another path of its own', async () => {
    const servers = await serve({
      dblp: (request, response, nth) =>
        (nth === 1 ? status(301, { location: `/dblp/moved${request.search}` }) : json(DBLP))(request, response, nth),
    });
    const ran = await servers.search(['--sources=dblp', QUERY]);
    expect(ran.stdout).toContain('Attention proofs');
    expect(servers.asked.dblp[1]?.pathname).toBe('/moved');
  });

  it('cannot write to the terminal, break the table or leave its types', async () => {
    const hostile = {
      title: 'Sparse \u001b[31m\u202ered\u0007 \\| attention | x',
      abstract: { toString: 'x' },
      authors: 'nobody',
      year: [2020],
      venue: '![x](http://127.0.0.1/x.png)',
      citationCount: 1e300,
      url: 'javascript:alert(1)',
      externalIds: 7,
      publicationTypes: 'Review',
    };
    const data = [null, 7, [], { title: 5 }, { title: { a: 1 } }, hostile];
    const servers = await serve({ semantic_scholar: json({ total: 9, data }) });
    const ran = await servers.search(['--sources=semantic_scholar', QUERY]);
    expect(ran.code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(ran.stdout).toContain('| Sparse [31m red \\\\\\| attention \\| x |'.replace('[', '\\['));
    expect(ran.stdout).toContain('!\\[x\\](http://127.0.0.1/x.png)');
    expect(ran.stdout).not.toContain('javascript:');
    const known = JSON.parse((await servers.search(['--sources=semantic_scholar', QUERY, '--json'])).stdout);
    expect(known.papers[0]).toMatchObject({ citations: Number.MAX_SAFE_INTEGER, authors: [], survey: false });
  });

  it('gives no memory away for a word at a far place', async () => {
    const results = [{ display_name: 'Sparse', abstract_inverted_index: { b: [4e9], a: [1, -1, 'x', null], c: 'x' } }];
    const servers = await serve({ openalex: json({ results }) });
    const ran = await servers.search(['--sources=openalex', QUERY, '--json']);
    expect(JSON.parse(ran.stdout).papers[0].abstract).toBe('a a b');
  });

  it('is left alone when it runs out of memory', async () => {
    const library = join(mkdtempSync(join(tmpdir(), 'big-')), 'big.json');
    writeFileSync(library, `[${'{"a":[]},'.repeat(500_000)}{}]`);
    const { askAll } = await importScript('paper-search/scripts/ask.mjs');
    const sources = [`local:${library}`, 'sample'];
    const asked = { queries: ['sleep'], sources, startYear: 0, endYear: 0, maxPapers: 10, parallel: true };
    const [big, sample] = await askAll(asked, 16);
    expect(big).toMatchObject({ status: 'failed', note: 'its answer does not fit in memory', papers: [] });
    expect(sample.status).toBe('ok');
  });
});
