/** Small operations on text that agents wrote. */

/** One line: control characters and runs of white space become one space. */
export function line(value) {
  return String(value ?? '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** At most `limit` characters, cut at a space. */
export function shortened(value, limit) {
  const whole = line(value);
  if (whole.length <= limit) return whole;
  const cut = whole.slice(0, limit - 2);
  return `${cut.replace(/\s+\S{0,40}$/, '')} …`;
}

export function wordCount(value) {
  return line(value).split(' ').filter(Boolean).length;
}

/** Papers cited in brackets, e.g. (P3) or [P1, P4]; a bare P450 may be a word of the field. */
export function citedInBrackets(value) {
  const groups = String(value).match(/[([]P\d{1,4}(?:[,;] ?P\d{1,4})*[)\]]/g) ?? [];
  return [...new Set(groups.flatMap((group) => group.match(/P\d+/g)))];
}
