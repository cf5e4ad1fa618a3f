/** A value as YAML text that reads as the same value wherever it is put, also inside of { } or [ ]. */

/** What reads as a text without quotes, also among commas and brackets, and to people. */
const BARE = /^[A-Za-z_./$][\w./$+~=-]*( [\w./$+~=-]+)*$/;
/** What older readers take for something else is quoted too. */
const TYPED = /^(~|null|true|false|yes|no|on|off|y|n|[-+]?\.(inf|nan|[0-9].*)|\.\.\.)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what single quotes cannot hold
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

export function scalarText(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (BARE.test(value) && !TYPED.test(value)) return value;
  return UNPRINTABLE.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
}
