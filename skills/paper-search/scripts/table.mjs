/** Papers as a Markdown table, every one of them. */

/** @param papers in the order to show; each may have an `id` */
export function toTable(papers) {
  const rows = papers.map((paper, place) => [
    paper.id ?? String(place + 1),
    `${paper.survey ? '[survey] ' : ''}${linked(paper)}`,
    byline(paper.authors),
    String(paper.year ?? ''),
    cell(paper.venue),
    String(paper.citations),
    String(paper.score),
    cell(paper.sources.join(', ')),
  ]);
  const head = ['#', 'Title', 'Authors', 'Year', 'Venue', 'Citations', 'Score', 'Source'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** At most two names. */
function byline(authors) {
  const named = authors.filter((author) => author !== 'others').map(cell);
  if (named.length <= 2 && named.length === authors.length) return named.join(', ');
  return `${named[0] ?? ''} et al.`;
}

/** The same by family names, which hold no initials: for running text. */
export function familyNames(authors) {
  return byline(authors.map((author) => (author.includes(',') ? author.split(',')[0] : author.split(/\s+/).at(-1))));
}

function linked(paper) {
  const title = cell(paper.title);
  return /^https?:\/\/[^\s()<>|]+$/.test(paper.url) ? `[${title}](${paper.url})` : title;
}

/** No text of a record may end the cell, open a tag or make a link or a picture. */
export function cell(value) {
  return value
    .replace(/\s+/g, ' ')
    .replace(/[\\|[\]]/g, '\\$&')
    .replace(/</g, '&lt;')
    .trim();
}
