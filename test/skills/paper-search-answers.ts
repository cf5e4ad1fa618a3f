/** One hand-made answer of each paper source, in the shape its API gives. */

export const SEMANTIC_SCHOLAR = {
  total: 2,
  offset: 0,
  data: [
    {
      paperId: 'aa',
      externalIds: { DOI: '10.1000/LOCAL', CorpusId: 1 },
      url: 'https://www.semanticscholar.org/paper/aa',
      title: 'Local windows for sparse attention',
      abstract: 'Each token attends to a window.',
      venue: 'ACL',
      year: 2021,
      citationCount: 40,
      publicationTypes: ['JournalArticle'],
      authors: [{ authorId: '1', name: 'Ada Lovelace' }],
    },
    {
      paperId: 'bb',
      externalIds: null,
      url: 'https://www.semanticscholar.org/paper/bb',
      title: 'Memory for transformers',
      abstract: null,
      venue: '',
      year: null,
      citationCount: 900,
      publicationTypes: ['Review'],
      authors: [],
    },
  ],
};

const work = (id: string, title: string, more: object) => ({
  id: `https://openalex.org/${id}`,
  doi: null,
  display_name: title,
  publication_year: 2020,
  type: 'article',
  authorships: [{ author: { display_name: 'Grace Hopper' } }],
  primary_location: { landing_page_url: `https://example.org/${id}`, source: { display_name: 'JMLR' } },
  locations: [],
  cited_by_count: 1,
  abstract_inverted_index: null,
  ...more,
});

/** The first two share nothing; only the third joins them, by the DOI of one and the arXiv id of the other. */
export const OPENALEX = {
  meta: { count: 4 },
  results: [
    work('W1', 'Sparse attention at scale', { doi: 'https://doi.org/10.1000/scale', cited_by_count: 5 }),
    work('W2', 'Scaling sparse transformers (preprint)', {
      authorships: [],
      publication_year: 2017,
      cited_by_count: 70,
      locations: [{ landing_page_url: 'http://arxiv.org/abs/2001.00001v1' }],
    }),
    work('W3', 'Sparse attention: at larger scale', {
      doi: 'https://doi.org/10.1000/SCALE',
      cited_by_count: 6,
      abstract_inverted_index: { transformer: [2], A: [0], sparse: [1], 'wins.': [3] },
      locations: [{ landing_page_url: 'https://arxiv.org/pdf/2001.00001v3' }],
    }),
    work('W4', 'Attention', { cited_by_count: 3, publication_year: 2019 }),
  ],
};

export const ARXIV = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title type="html">ArXiv Query: search_query=all:sparse</title>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">2</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2001.00001v2</id>
    <updated>2020-02-01T00:00:00Z</updated>
    <published>2020-01-01T00:00:00Z</published>
    <title>Sparse attention
  at scale</title>
    <summary>  Sparse &amp; fast: a &lt;tiny&gt; transformer with n &#60; m.</summary>
    <author><name>Grace Hopper</name><arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Navy</arxiv:affiliation></author>
    <author><name>Alan Turing</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/scale</arxiv:doi>
    <link href="http://arxiv.org/abs/2001.00001v2" rel="alternate" type="text/html"/>
  </entry>
  <entry>
    <id>http://arxiv.org/abs/cond-mat/0410550v1</id>
    <published>2004-10-01T00:00:00Z</published>
    <title>Sparse matrices</title>
    <summary>Old.</summary>
    <author><name>Emmy Noether</name></author>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">Phys. Rev. 1 (2005)</arxiv:journal_ref>
  </entry>
</feed>`;

export const OPENREVIEW = {
  count: 2,
  notes: [
    {
      id: 'n1',
      forum: 'f1',
      cdate: Date.UTC(2022, 8, 1),
      content: {
        title: { value: 'Local Windows for Sparse Attention' },
        authors: { value: ['Ada Lovelace', 'Charles Babbage'] },
        abstract: { value: 'A window for every transformer token.' },
        venue: { value: 'ICLR 2022 Poster' },
      },
    },
    {
      id: 'n2',
      forum: 'n2',
      cdate: Date.UTC(2019, 8, 1),
      content: { title: 'Routing transformer tokens', authors: ['Kurt Gödel'], abstract: 'Version 1.' },
    },
  ],
};

export const CROSSREF = {
  status: 'ok',
  'message-type': 'work-list',
  message: {
    'total-results': 3,
    items: [
      {
        DOI: '10.1000/survey',
        URL: 'https://doi.org/10.1000/survey',
        type: 'journal-article',
        title: ['A survey of sparse attention &amp; transformers'],
        author: [{ given: 'Emmy', family: 'Noether', sequence: 'first', affiliation: [] }],
        issued: { 'date-parts': [[2023, 4]] },
        'container-title': ['ACM Computing Surveys'],
        abstract: '<jats:title>Abstract</jats:title><jats:p>We survey sparse attention in transformers.</jats:p>',
        'is-referenced-by-count': 5000,
      },
      {
        DOI: '10.1000/local',
        URL: 'https://doi.org/10.1000/local',
        type: 'proceedings-article',
        title: ['Local windows'],
        author: [{ name: 'The Window Group' }],
        issued: { 'date-parts': [[null]] },
        'container-title': [],
        'is-referenced-by-count': 44,
      },
      { DOI: '10.1000/review', type: 'peer-review', title: ['Review of: sparse attention'] },
    ],
  },
};

const hit = (info: object) => ({ '@score': '3', '@id': '1', info });

export const DBLP = {
  result: {
    query: 'sparse*',
    status: { '@code': '200', text: 'OK' },
    hits: {
      '@total': '2',
      '@sent': '2',
      hit: [
        hit({
          authors: {
            author: [
              { '@pid': '1', text: 'Wei Wang 0001' },
              { '@pid': '2', text: 'Alan Turing' },
            ],
          },
          title: 'Sparse attention &amp; routing.',
          venue: 'CoRR',
          volume: 'abs/2105.00002',
          year: '2021',
          type: 'Informal and Other Publications',
          doi: '10.48550/ARXIV.2105.00002',
          ee: 'https://doi.org/10.48550/arXiv.2105.00002',
          url: 'https://dblp.org/rec/1',
        }),
        hit({
          authors: { author: { '@pid': '3', text: 'Kurt Gödel' } },
          title: 'Attention proofs.',
          venue: ['LICS', 'ICALP'],
          year: '2018',
          ee: ['https://example.org/proofs', 'https://example.org/2'],
          url: 'https://dblp.org/rec/2',
        }),
      ],
    },
  },
};
