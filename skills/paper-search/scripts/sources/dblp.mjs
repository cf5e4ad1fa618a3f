/** Source `dblp`: publications of computer science by title words; it has no abstracts. */
import { decodeEntities } from '../atom.mjs';
import { network } from '../network.mjs';
import { fewWordsOf } from '../rank.mjs';

export const search = network({
  name: 'dblp',
  base: 'https://dblp.org',
  distanceMs: 1500,
  maxRows: 200,
  filtersYears: false,
  request: ({ query, rows }) => ({
    path: '/search/publ/api',
    params: { q: fewWordsOf(query).join(' '), format: 'json', h: rows, f: 0, c: 0 },
  }),
  // One hit stands alone, none has no list.
  items: (answer) => {
    const hits = answer?.result?.hits;
    if (String(hits?.['@total']) === '0') return [];
    return several(hits?.hit);
  },
  record: ({ info }) => {
    if (typeof info !== 'object' || info === null) return undefined;
    return {
      title: plain(info.title).replace(/\.$/, ''),
      authors: (several(info.authors?.author) ?? []).map((author) => personOf(plain(author?.text ?? author))),
      year: info.year,
      venue: plain(several(info.venue)?.[0]),
      doi: info.doi,
      arxiv: arxivOf(info),
      url: several(info.ee)?.[0] ?? info.url,
    };
  },
});

/** Namesakes carry a number: "Wei Wang 0001". */
function personOf(name) {
  return name.replace(/\s+\d{4}$/, '');
}

/** Preprints are the journal CoRR, with the identifier for a volume: `abs/1706.03762`. */
function arxivOf({ venue, volume }) {
  return venue === 'CoRR' && typeof volume === 'string' ? volume.replace(/^abs\//, '') : '';
}

function several(value) {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value : [value];
}

function plain(value) {
  return typeof value === 'string' ? decodeEntities(value) : '';
}
