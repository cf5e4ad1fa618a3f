/** BibTeX text as plain records with lower-case field names. */

const ACCENTS = {
  '"': '\u0308',
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '~': '\u0303',
  c: '\u0327',
  v: '\u030c',
  u: '\u0306',
  '=': '\u0304',
};
const LETTERS = {
  ss: 'ß',
  o: 'ø',
  O: 'Ø',
  l: 'ł',
  L: 'Ł',
  ae: 'æ',
  AE: 'Æ',
  aa: 'å',
  AA: 'Å',
  i: 'i',
  '&': '&',
  '%': '%',
  $: '$',
  _: '_',
  '#': '#',
};

/** @returns {Record<string, string>[]} entries in the order of the file; what cannot be read is left out */
export function parseBibtex(source) {
  const strings = new Map();
  const records = [];
  for (const head = /@([a-z]+)\s*[{(]/gi; ; ) {
    const found = head.exec(source);
    if (!found) return records;
    const kind = found[1].toLowerCase();
    if (kind === 'comment' || kind === 'preamble') continue;
    const { fields, end } = readFields(source, head.lastIndex, strings);
    head.lastIndex = Math.max(end, head.lastIndex);
    if (kind === 'string') for (const [name, value] of fields) strings.set(name, value);
    else records.push(Object.fromEntries(fields.map(([name, value]) => [name, plain(value)])));
  }
}

/** Reads `key, name = value, …` from `start` up to the bracket that closes the entry. */
function readFields(source, start, strings) {
  const fields = [];
  const name = /([a-z][\w-]*)\s*=\s*|[})]/gi;
  name.lastIndex = start;
  for (;;) {
    const found = name.exec(source);
    if (!found) return { fields, end: source.length };
    if (!found[1]) return { fields, end: name.lastIndex };
    const { value, end } = readValue(source, name.lastIndex, strings);
    fields.push([found[1].toLowerCase(), value]);
    name.lastIndex = end;
  }
}

/** One value: `{…}`, `"…"`, a number or a name, joined by `#`. */
function readValue(source, start, strings) {
  let value = '';
  let at = start;
  for (;;) {
    const open = source[at];
    if (open === '{' || open === '"') {
      const end = closing(source, at);
      value += source.slice(at + 1, end);
      at = end + 1;
    } else {
      const word = /[^\s,#})]*/y;
      word.lastIndex = at;
      const bare = word.exec(source)[0];
      value += strings.get(bare.toLowerCase()) ?? bare;
      at += bare.length;
    }
    const joint = /\s*#\s*/y;
    joint.lastIndex = at;
    if (!joint.test(source)) return { value, end: at };
    at = joint.lastIndex;
  }
}

/** Index of the bracket or quote that closes the one at `open`. */
function closing(source, open) {
  const quoted = source[open] === '"';
  let depth = 0;
  for (let at = open + 1; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '{') depth++;
    else if (quoted && char === '"' && depth === 0) return at;
    else if (char === '}' && depth-- === 0) return at;
  }
  return source.length;
}

/** LaTeX's accents and commands as the characters they stand for. */
function plain(value) {
  return value
    .replace(/\\(["'`^~=]|[cvu](?![a-z]))\s*\{?\\?([a-zA-Z])\}?/g, (_, accent, letter) =>
      (letter + ACCENTS[accent]).normalize('NFC'),
    )
    .replace(/\\(ss|ae|AE|aa|AA|[oOlLi]|[&%$_#])(?![a-zA-Z])/g, (_, name) => LETTERS[name])
    .replace(/\\[a-zA-Z]+\s*/g, '')
    .replace(/[{}]/g, '')
    .replace(/~/g, ' ')
    .replace(/---?/g, '–')
    .trim();
}
