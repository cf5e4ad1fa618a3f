/** Source `crossref`: registered works by bibliographic words. */
import { decodeEntities } from '../atom.mjs';
import { dayBounds, list, network } from '../network.mjs';

const FIELDS = 'DOI,URL,title,author,issued,container-title,abstract,is-referenced-by-count,type';
/** Registered too, but no papers. */
const NO_PAPER = new Set(['peer-review', 'component', 'grant', 'journal', 'journal-issue', 'proceedings']);

/** Abstracts begin with it. */
const OWN_HEADING = /^\s*<(jats:)?title>\s*abstract[.:]?\s*<\/(jats:)?title>/i;

export const search = network({
  name: 'crossref',
  base: 'https://api.crossref.org',
  distanceMs: 1000,
  maxRows: 200,
  filtersYears: true,
  request: ({ query, rows, startYear, endYear }) => {
    const { from, until } = dayBounds(startYear, endYear);
    const filter = [from && `from-pub-date:${from}`, until && `until-pub-date:${until}`];
    return {
      path: '/works',
      params: {
        'query.bibliographic': query,
        rows,
        filter: filter.filter(Boolean).join(','),
        select: FIELDS,
        mailto: process.env.PAPER_SEARCH_MAILTO ?? '',
      },
    };
  },
  items: (answer) => answer?.message?.items,
  record: (work) => {
    if (NO_PAPER.has(work.type)) return undefined;
    return {
      title: plain(work.title),
      abstract: plain(work.abstract).replace(OWN_HEADING, ''),
      authors: list(work.author).map((author) => ({ ...author, name: author?.name ?? author?.literal })),
      year: work.issued,
      venue: plain(work['container-title']),
      citations: work['is-referenced-by-count'],
      doi: work.DOI,
      url: work.URL,
    };
  },
});

/** Titles come as lists, with markup and entities. */
function plain(value) {
  const first = list(value)[0] ?? value;
  return typeof first === 'string' ? decodeEntities(first) : '';
}
