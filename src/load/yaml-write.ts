/** A value as YAML text that reads as the same value wherever it is put, also inside of { } or [ ]. */

/** What reads as a text without quotes, also among commas and brackets, and to people. */
const BARE = /^[\w./$][\w./$+~=-]*( [\w./$+~=-]+)*$/;
/** What older readers take for something else is quoted too. */
const TYPED =
  /^(~|null|true|false|yes|no|on|off|y|n|[-+]?\.(inf|nan)|[-+]?\.?[0-9][0-9._e+-]*|0x[0-9a-f]*|0o[0-7]*|\.\.\.)$/i;
/** What single quotes cannot hold. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;

export function scalarText(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (BARE.test(value) && !TYPED.test(value)) return value;
  return UNPRINTABLE.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
}
