/** One list from many: records of the same paper become one record. */
import { qualityOf } from './sources.mjs';

/** Records belong together when they share a DOI, an arXiv id, or a title together with a near year or an author. */
export function unite(records) {
  const parent = records.map((_, place) => place);
  const rootOf = (place) => {
    let root = place;
    while (parent[root] !== root) root = parent[root];
    while (parent[place] !== root) [place, parent[place]] = [parent[place], root];
    return root;
  };
  const join = (a, b) => {
    parent[Math.max(rootOf(a), rootOf(b))] = Math.min(rootOf(a), rootOf(b));
  };

  const byId = new Map();
  const byTitle = new Map();
  records.forEach((record, place) => {
    for (const id of [record.doi && `doi:${record.doi}`, record.arxiv && `arxiv:${record.arxiv}`]) {
      if (!id) continue;
      if (byId.has(id)) join(byId.get(id), place);
      else byId.set(id, place);
    }
    const title = bareTitle(record.title);
    const same = byTitle.get(title) ?? [];
    for (const other of same)
      if (nearInTime(record, records[other]) || shareAuthor(record, records[other])) join(other, place);
    byTitle.set(title, [...same, place]);
  });

  const groups = new Map();
  records.forEach((record, place) => {
    const root = rootOf(place);
    groups.set(root, [...(groups.get(root) ?? []), record]);
  });
  return [...groups.values()].map(combine);
}

/** The best source's fields first, gaps filled from the others, the highest citation count, every source named. */
function combine(group) {
  const best = [...group].sort((a, b) => qualityOf(a.sources[0]) - qualityOf(b.sources[0]));
  const first = (field) =>
    best.map((record) => record[field]).find((value) => value !== '' && value !== null) ?? best[0][field];
  return {
    title: first('title'),
    authors: best.map((record) => record.authors).find((authors) => authors.length > 0) ?? [],
    year: first('year'),
    venue: first('venue'),
    abstract: first('abstract'),
    doi: first('doi'),
    arxiv: first('arxiv'),
    url: first('url'),
    citations: Math.max(...best.map((record) => record.citations)),
    sources: [...new Set(best.flatMap((record) => record.sources))],
    survey: best.some((record) => record.survey),
    score: Math.max(...best.map((record) => record.score)),
  };
}

function bareTitle(title) {
  const letters = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return letters === '' ? title : letters;
}

function nearInTime(a, b) {
  return a.year !== null && b.year !== null && Math.abs(a.year - b.year) <= 1;
}

function shareAuthor(a, b) {
  const names = new Set(a.authors.map(surname));
  return b.authors.some((author) => names.has(surname(author)));
}

/** "Ada Lovelace" and "Lovelace, Ada" are the same person here. */
function surname(author) {
  const last = author.includes(',') ? author.split(',')[0] : author.trim().split(/\s+/).at(-1);
  return last.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
