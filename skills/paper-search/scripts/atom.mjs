/** The entries of an Atom feed, read without a document type: nothing a server declares is ever expanded. */

/** Most entries read from one feed. */
const MAX_ENTRIES = 500;
const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** @returns {{id: string, title: string, summary: string, published: string, authors: string[], doi: string, journal: string}[]} */
export function parseAtom(xml) {
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) {
    const page = /<!DOCTYPE\s+html/i.test(xml);
    throw new Error(page ? 'its answer is a web page, not a feed' : 'its answer declares a document type');
  }
  if (!/<feed[\s>]/.test(xml)) throw new Error('its answer is no feed');
  return elements(xml, 'entry').map((entry) => ({
    id: textOf(entry, 'id'),
    title: textOf(entry, 'title'),
    summary: textOf(entry, 'summary'),
    published: textOf(entry, 'published'),
    authors: elements(entry, 'author').map((author) => textOf(author, 'name')),
    doi: textOf(entry, 'arxiv:doi'),
    journal: textOf(entry, 'arxiv:journal_ref'),
  }));
}

/** The five entities of XML, the blank of HTML, and numbers; anything else stays as it is written. Decoded once. */
export function decodeEntities(value) {
  return value.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[name] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : '';
  });
}

/** The inside of each element of that name; elements of one name do not nest in a feed. */
function elements(xml, name) {
  const found = [];
  const close = `</${name}>`;
  let at = 0;
  while (found.length < MAX_ENTRIES) {
    const open = openTag(xml, name, at);
    if (!open) break;
    if (open.empty) {
      at = open.end;
      continue;
    }
    const end = xml.indexOf(close, open.end);
    if (end < 0) throw new Error(`its answer ends within an element ${name}`);
    found.push(xml.slice(open.end, end));
    at = end + close.length;
  }
  return found;
}

/** Where the tag's `>` is; `<author>` is no `<authority>`. */
function openTag(xml, name, from) {
  let start = xml.indexOf(`<${name}`, from);
  while (start >= 0) {
    const after = xml[start + name.length + 1] ?? '';
    if (/[\s/>]/.test(after)) {
      const end = xml.indexOf('>', start);
      return end < 0 ? undefined : { end: end + 1, empty: xml[end - 1] === '/' };
    }
    start = xml.indexOf(`<${name}`, start + 1);
  }
  return undefined;
}

function textOf(xml, name) {
  const [inside] = elements(xml, name);
  if (inside === undefined) return '';
  const cdata = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(inside);
  return cdata ? cdata[1] : decodeEntities(inside);
}
