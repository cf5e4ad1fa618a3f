/** What a paper is: one shape, made from whatever a library or a source calls its fields. */

/** Longest text kept of any one field, in characters. */
const FIELD_MAX = 4000;

/**
 * @returns {{title: string, authors: string[], year: number|null, venue: string, abstract: string, doi: string, arxiv: string,
 *   url: string, citations: number, sources: string[], survey: boolean, score: number} | undefined} undefined without a title
 */
export function toPaper(raw, source) {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const title = text(raw.title ?? raw.Title);
  if (title === '') return undefined;
  const url = text(raw.url ?? raw.URL ?? raw.link);
  const givenDoi = bareDoi(text(raw.doi ?? raw.DOI) || (url.includes('doi.org/') ? url : ''));
  const arxiv =
    [raw.arxiv ?? raw.arxiv_id ?? raw.arxivId ?? raw.eprint, url, givenDoi]
      .map((id) => bareArxiv(text(id)))
      .find(Boolean) ?? '';
  const abstract = text(raw.abstract ?? raw.summary);
  return {
    title,
    authors: authorNames(raw.authors ?? raw.author),
    year: yearOf(raw.year ?? raw.issued ?? raw.date ?? raw.published),
    venue: text(raw.venue ?? raw.journal ?? raw.booktitle ?? raw['container-title'] ?? raw.publisher),
    abstract,
    doi: givenDoi,
    arxiv,
    url:
      webAddress(url) ||
      (givenDoi && `https://doi.org/${givenDoi}`) ||
      (arxiv && `https://arxiv.org/abs/${arxiv}`) ||
      '',
    citations: citationCount(raw),
    sources: [source],
    survey: raw.survey === true || isSurvey(title, abstract, text(raw.type)),
    score: 0,
  };
}

/** One line of plain text: markup, control characters and runs of white space are gone. */
export function text(value) {
  const first = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'number') return String(first);
  if (typeof first !== 'string') return '';
  const plain = first.replace(/<\/?[a-z][^<>]{0,80}>/gi, ' ').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return plain.trim().slice(0, FIELD_MAX).toWellFormed();
}

function webAddress(url) {
  return /^https?:\/\//i.test(url) ? url : '';
}

/** Lower-case `10.…/…`, or ''. */
export function bareDoi(value) {
  return /10\.\d{4,9}\/[^\s"<>]+/.exec(value.toLowerCase())?.[0].replace(/[.,;]+$/, '') ?? '';
}

/** The identifier without its version, `1706.03762` or `cond-mat/0410550`, or ''. */
export function bareArxiv(value) {
  const lower = value.toLowerCase();
  const modern = /(?:^|arxiv[.:/ ]|arxiv\.org\/(?:abs|pdf)\/)\s*(\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?$/.exec(lower);
  if (modern) return modern[1];
  const old = /(?:^|arxiv[.:/ ]|arxiv\.org\/(?:abs|pdf)\/)\s*([a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?(?:\.pdf)?$/.exec(
    lower,
  );
  return old?.[1] ?? '';
}

function authorNames(value) {
  if (typeof value === 'string')
    return value
      .replace(/\s+/g, ' ')
      .split(/ and |;/)
      .map(text)
      .filter(Boolean)
      .slice(0, 50);
  if (!Array.isArray(value)) return [];
  return value.map(authorName).filter(Boolean).slice(0, 50);
}

function authorName(author) {
  if (typeof author !== 'object' || author === null) return text(author);
  return text(author.name ?? author.literal) || [text(author.given), text(author.family)].filter(Boolean).join(' ');
}

function yearOf(value) {
  const parts = value?.['date-parts']?.[0];
  const found = /\b(1[5-9]\d\d|20\d\d)\b/.exec(text(Array.isArray(parts) ? parts[0] : (value?.raw ?? value)));
  return found ? Number(found[1]) : null;
}

function citationCount(raw) {
  const count = Number(raw.citations ?? raw.citationCount ?? raw.cited_by_count ?? raw['is-referenced-by-count'] ?? 0);
  return Number.isFinite(count) && count > 0 ? Math.min(Math.floor(count), Number.MAX_SAFE_INTEGER) : 0;
}

function isSurvey(title, abstract, type) {
  if (/review/i.test(type)) return true;
  const spoken = title.replace(/\b(peer|code|book|product|online|customer)[ -]reviews?\b/gi, '');
  if (/\b(survey|review|overview|meta-analysis|systematic mapping)\b|综述/i.test(spoken)) return true;
  return /^(a|this|we|the)( paper| article)? (surveys?|reviews?)\b/i.test(abstract);
}
