/** Source `openalex`: works by relevance. */
import { dayBounds, list, network } from '../network.mjs';

const FIELDS =
  'id,doi,display_name,publication_year,type,authorships,primary_location,locations,cited_by_count,abstract_inverted_index';
/** An abstract of more words is cut. */
const MAX_WORDS = 1000;

export const search = network({
  name: 'openalex',
  base: 'https://api.openalex.org',
  distanceMs: 200,
  maxRows: 100,
  filtersYears: true,
  request: ({ query, rows, startYear, endYear }) => {
    const { from, until } = dayBounds(startYear, endYear);
    const filter = [from && `from_publication_date:${from}`, until && `to_publication_date:${until}`];
    return {
      path: '/works',
      params: {
        search: query,
        per_page: rows,
        filter: filter.filter(Boolean).join(','),
        select: FIELDS,
        mailto: process.env.PAPER_SEARCH_MAILTO ?? '',
      },
    };
  },
  items: (answer) => answer?.results,
  record: (work) => ({
    title: work.display_name ?? work.title,
    abstract: inOrder(work.abstract_inverted_index),
    authors: list(work.authorships).map((authorship) => authorship?.author?.display_name),
    year: work.publication_year,
    venue: work.primary_location?.source?.display_name,
    citations: work.cited_by_count,
    doi: work.doi,
    arxiv: addresses(work).find((address) => /arxiv\.org\/(abs|pdf)\//i.test(address)),
    url: work.primary_location?.landing_page_url ?? work.doi ?? work.id,
    survey: work.type === 'review',
  }),
});

/** OpenAlex gives each word with its places; the places are a server's numbers, so no array is made as long as they say. */
function inOrder(index) {
  if (typeof index !== 'object' || index === null) return '';
  const words = Object.entries(index).flatMap(([word, places]) => list(places).map((place) => ({ word, place })));
  return words
    .filter(({ place }) => Number.isSafeInteger(place))
    .sort((a, b) => a.place - b.place)
    .slice(0, MAX_WORDS)
    .map(({ word }) => word)
    .join(' ');
}

function addresses(work) {
  return list(work.locations)
    .map((location) => location?.landing_page_url)
    .filter((address) => typeof address === 'string');
}
