/** Source `semantic_scholar`: the Academic Graph's relevance search. */
import { dayBounds, list, network } from '../network.mjs';

const FIELDS = 'title,abstract,authors,year,venue,citationCount,externalIds,url,publicationTypes';

export const search = network({
  name: 'semantic_scholar',
  base: 'https://api.semanticscholar.org',
  // Without a key all callers share one allowance, and 1 request a second is asked of each.
  distanceMs: 1100,
  maxRows: 100,
  filtersYears: true,
  // A word with a hyphen finds nothing there.
  request: ({ query, rows, startYear, endYear }) => ({
    path: '/graph/v1/paper/search',
    params: {
      query: query.replace(/[-‐-―]+/g, ' '),
      limit: rows,
      fields: FIELDS,
      year: yearRange(dayBounds(startYear, endYear)),
    },
  }),
  items: (answer) => answer?.data ?? (answer?.total === 0 ? [] : undefined),
  record: (paper) => ({
    title: paper.title,
    abstract: paper.abstract,
    authors: list(paper.authors).map((author) => author?.name),
    year: paper.year,
    venue: paper.venue,
    citations: paper.citationCount,
    doi: paper.externalIds?.DOI,
    arxiv: paper.externalIds?.ArXiv,
    url: paper.url,
    survey: list(paper.publicationTypes).includes('Review'),
  }),
});

/** `2019-2021`, `2019-`, `-2021`. */
function yearRange({ from, until }) {
  return from || until ? `${from.slice(0, 4)}-${until.slice(0, 4)}` : '';
}
