/** Source `arxiv`: its Atom feed, by relevance. */
import { parseAtom } from '../atom.mjs';
import { dayBounds, network } from '../network.mjs';
import { fewWordsOf } from '../rank.mjs';

export const search = network({
  name: 'arxiv',
  base: 'https://export.arxiv.org',
  // Its terms of use: one request every three seconds.
  distanceMs: 3000,
  maxRows: 200,
  filtersYears: true,
  request: ({ query, rows, startYear, endYear }) => ({
    path: '/api/query',
    params: {
      search_query: [...fewWordsOf(query).map((word) => `all:${word}`), submitted(dayBounds(startYear, endYear))]
        .filter(Boolean)
        .join(' AND '),
      start: 0,
      max_results: rows,
      sortBy: 'relevance',
      sortOrder: 'descending',
    },
  }),
  parse: parseAtom,
  items: (entries) => {
    const fault = entries.find((entry) => /arxiv\.org\/api\/errors/.test(entry.id));
    if (fault) throw new Error(`it refused the query: ${fault.summary}`);
    return entries;
  },
  record: (entry) => ({
    title: entry.title,
    abstract: entry.summary,
    authors: entry.authors,
    year: entry.published,
    venue: entry.journal || 'arXiv',
    doi: entry.doi,
    arxiv: entry.id,
    url: entry.id.replace(/^http:/, 'https:'),
  }),
});

/** The feed wants both ends of a span. */
function submitted({ from, until }) {
  if (!from && !until) return '';
  const digits = (day) => day.replaceAll('-', '');
  return `submittedDate:[${digits(from || '1900-01-01')}0000 TO ${digits(until || '2999-12-31')}2359]`;
}
