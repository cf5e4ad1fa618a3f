/** What a search over the network promises, with the six sources served on loopback. */
import { describe, expect, it } from 'vitest';
import { ARXIV, CROSSREF, DBLP, OPENALEX, OPENREVIEW, SEMANTIC_SCHOLAR } from './paper-search-answers.js';
import { body, json, NETWORK, type Reply, serve, status } from './paper-search-servers.js';

const ALL = `--sources=${NETWORK.join(',')}`;
const QUERY = '--query=sparse attention transformer';

const healthy: Record<(typeof NETWORK)[number], Reply> = {
  semantic_scholar: json(SEMANTIC_SCHOLAR),
  openalex: json(OPENALEX),
  arxiv: body(ARXIV, 'application/atom+xml'),
  openreview: json(OPENREVIEW),
  crossref: json(CROSSREF),
  dblp: json(DBLP),
};

describe('six sources', () => {
  it('become one ordered list, though one is slow, one answers 429 first, one is broken and one repeats itself', async () => {
    let others = 0;
    let release = () => {};
    const allOthers = new Promise<void>((resolve) => {
      release = resolve;
    });
    const counted =
      (reply: Reply): Reply =>
      async (request, response, nth) => {
        await reply(request, response, nth);
        if (response.statusCode === 200 && ++others === 5) release();
      };
    const servers = await serve({
      semantic_scholar: counted((request, response, nth) =>
        (nth === 1 ? status(429, { 'retry-after': '0' }) : json(SEMANTIC_SCHOLAR))(request, response, nth),
      ),
      openalex: counted(json(OPENALEX)),
      // Answers only when every other source has: a search that asked one after the other would never end.
      arxiv: async (...call) => {
        await allOthers;
        await healthy.arxiv(...call);
      },
      openreview: counted(json(OPENREVIEW)),
      crossref: counted(json(CROSSREF)),
      dblp: counted(body('{"result": {"hits": {"hit": [')),
    });

    const ran = await servers.search([ALL, QUERY, '--json']);

    expect(ran.stderr).toBe('Source dblp failed: its answer is no JSON\n');
    expect(ran.code).toBe(0);
    const answer = JSON.parse(ran.stdout);
    expect(answer.sources).toEqual([
      { name: 'semantic_scholar', status: 'ok', count: 2, note: '' },
      { name: 'openalex', status: 'ok', count: 2, note: '' },
      { name: 'arxiv', status: 'ok', count: 2, note: '' },
      { name: 'openreview', status: 'ok', count: 2, note: '' },
      { name: 'crossref', status: 'ok', count: 2, note: '' },
      { name: 'dblp', status: 'failed', count: 0, note: 'its answer is no JSON' },
    ]);
    const rows = answer.papers.map(
      (paper: { title: string; score: number; citations: number; sources: string[]; survey: boolean }) =>
        `${paper.survey ? '[survey] ' : ''}${paper.title} | ${paper.score} | ${paper.citations} | ${paper.sources}`,
    );
    expect(rows).toEqual([
      'Sparse attention at scale | 3 | 70 | openalex,arxiv',
      'Local windows for sparse attention | 2 | 44 | semantic_scholar,openreview,crossref',
      'Attention | 1 | 3 | openalex',
      'Routing transformer tokens | 1 | 0 | openreview',
      'Sparse matrices | 1 | 0 | arxiv',
      '[survey] A survey of sparse attention & transformers | 3 | 5000 | crossref',
      '[survey] Memory for transformers | 1 | 900 | semantic_scholar',
    ]);
    expect(answer).toMatchObject({ sample: false, dropped: 0, cut: 0 });
    expect(servers.asked.semantic_scholar).toHaveLength(2);
  });

  it('are each asked in their own words for the years and the number of papers', async () => {
    const servers = await serve(healthy);
    await servers.search([ALL, '--query=low-rank adapters', '--start-year=2019', '--end-year=2021', '--max-papers=7']);
    const asked = Object.fromEntries(
      NETWORK.map((source) => {
        const [url] = servers.asked[source];
        return [source, [url?.pathname, Object.fromEntries(url?.searchParams ?? [])]];
      }),
    );
    expect(asked).toMatchObject({
      semantic_scholar: ['/graph/v1/paper/search', { query: 'low rank adapters', limit: '7', year: '2019-2021' }],
      openalex: [
        '/works',
        {
          search: 'low-rank adapters',
          per_page: '7',
          filter: 'from_publication_date:2019-01-01,to_publication_date:2021-12-31',
        },
      ],
      arxiv: [
        '/api/query',
        {
          search_query: 'all:rank AND all:adapters AND submittedDate:[201901010000 TO 202112312359]',
          max_results: '7',
          sortBy: 'relevance',
        },
      ],
      openreview: ['/notes/search', { term: 'low-rank adapters', source: 'forum', limit: '28' }],
      crossref: [
        '/works',
        {
          'query.bibliographic': 'low-rank adapters',
          rows: '7',
          filter: 'from-pub-date:2019-01-01,until-pub-date:2021-12-31',
        },
      ],
      dblp: ['/search/publ/api', { q: 'rank adapters', format: 'json', h: '28' }],
    });
  });

  it('are shown each by itself with --raw, with every field their answers hold', async () => {
    const servers = await serve(healthy);
    const ran = await servers.search([ALL, QUERY, '--raw', '--json']);
    const sources = Object.fromEntries(
      JSON.parse(ran.stdout).sources.map((source: { name: string; papers: unknown[] }) => [source.name, source.papers]),
    );
    expect(sources.openalex[0].abstract).toBe('A sparse transformer wins.');
    expect(sources.arxiv[0]).toMatchObject({
      title: 'Sparse attention at scale',
      authors: ['Grace Hopper', 'Alan Turing'],
      year: 2020,
      abstract: 'Sparse & fast: a transformer with n < m.',
      doi: '10.1000/scale',
      arxiv: '2001.00001',
      url: 'https://arxiv.org/abs/2001.00001v2',
    });
    expect(sources.arxiv[1]).toMatchObject({ arxiv: 'cond-mat/0410550', venue: 'Phys. Rev. 1 (2005)' });
    expect(sources.openreview[0]).toMatchObject({
      title: 'Local Windows for Sparse Attention',
      year: 2022,
      venue: 'ICLR 2022 Poster',
      url: 'https://openreview.net/forum?id=f1',
    });
    expect(sources.openreview[1]).toMatchObject({ title: 'Routing transformer tokens', year: 2019 });
    expect(sources.crossref).toHaveLength(2);
    expect(sources.crossref[0]).toMatchObject({ authors: ['The Window Group'], year: null, citations: 44 });
    expect(sources.crossref[1]).toMatchObject({
      title: 'A survey of sparse attention & transformers',
      abstract: 'We survey sparse attention in transformers.',
      authors: ['Emmy Noether'],
      year: 2023,
      survey: true,
    });
    expect(sources.dblp[0]).toMatchObject({
      title: 'Sparse attention & routing',
      authors: ['Wei Wang', 'Alan Turing'],
      arxiv: '2105.00002',
      year: 2021,
    });
    expect(sources.dblp[1]).toMatchObject({
      authors: ['Kurt Gödel'],
      venue: 'LICS',
      url: 'https://example.org/proofs',
    });
    expect(sources.semantic_scholar[0]).toMatchObject({ doi: '10.1000/local', venue: 'ACL', citations: 40 });
    expect(sources.semantic_scholar[1]).toMatchObject({ survey: true, year: null });
  });

  it('give the same bytes one after the other', async () => {
    const servers = await serve(healthy);
    const together = await servers.search([ALL, QUERY]);
    const inTurn = await servers.search([ALL, QUERY, '--no-parallel']);
    expect(inTurn.stdout).toBe(together.stdout);
  });

  it('may find nothing, which is no failure', async () => {
    const servers = await serve({
      semantic_scholar: json({ total: 0, offset: 0 }),
      arxiv: body('<feed xmlns="http://www.w3.org/2005/Atom"></feed>'),
      dblp: json({ result: { hits: { '@total': '0', '@sent': '0' } } }),
    });
    const ran = await servers.search(['--sources=semantic_scholar,arxiv,dblp', QUERY, '--json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout).sources.map(({ count }: { count: number }) => count)).toEqual([0, 0, 0]);
  });
});
