/** Source `openreview`: full-text search over submissions. */
import { network } from '../network.mjs';

export const search = network({
  name: 'openreview',
  base: 'https://api2.openreview.net',
  distanceMs: 1000,
  maxRows: 200,
  filtersYears: false,
  request: ({ query, rows }) => ({
    path: '/notes/search',
    params: { term: query, type: 'terms', content: 'all', group: 'all', source: 'forum', limit: rows, offset: 0 },
  }),
  items: (answer) => answer?.notes,
  record: (note) => {
    const of = (field) => inside(note.content?.[field]);
    const venue = of('venue');
    const forum = typeof note.forum === 'string' ? note.forum : note.id;
    return {
      title: of('title'),
      abstract: of('abstract'),
      authors: of('authors'),
      year: yearIn(venue) ?? yearAt(note.pdate ?? note.odate ?? note.cdate),
      venue,
      url: typeof forum === 'string' ? `https://openreview.net/forum?id=${encodeURIComponent(forum)}` : '',
    };
  },
});

/** Version 2 of the API wraps each field of a note as `{value}`; version 1 does not. */
function inside(field) {
  return typeof field === 'object' && field !== null && !Array.isArray(field) ? field.value : field;
}

function yearIn(venue) {
  return typeof venue === 'string' ? /\b(?:19|20)\d\d\b/.exec(venue)?.[0] : undefined;
}

/** @param ms since 1970 */
function yearAt(ms) {
  const date = new Date(typeof ms === 'number' ? ms : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.getUTCFullYear();
}
