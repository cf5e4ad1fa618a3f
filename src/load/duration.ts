/** Durations as they are written, and what those that are written otherwise mean. */

const MILLISECONDS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** `10m`, `2s`, `1h30m`, `500ms` → milliseconds. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(text.trim());
  if (!match || text.trim() === '') return undefined;
  const [, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = match;
  const ms =
    Number(hours) * MILLISECONDS.h +
    Number(minutes) * MILLISECONDS.m +
    Number(seconds) * MILLISECONDS.s +
    Number(milliseconds);
  return Math.round(ms);
}

const DAY_MS = 24 * MILLISECONDS.h;

/** How long ago: a duration, with days before it if need be: `30d`, `1d12h`, `6h` → milliseconds. */
export function parseAge(text: string): number | undefined {
  const [, days, rest = ''] = /^(\d+)d(.*)$/.exec(text.trim()) ?? [];
  if (days === undefined) return parseDuration(text);
  const more = rest === '' ? 0 : parseDuration(rest);
  return more === undefined ? undefined : Number(days) * DAY_MS + more;
}

const WORDS: readonly (readonly [string, RegExp])[] = [
  ['ms', /^(ms|msecs?|millis|milliseconds?)$/],
  ['s', /^(s|secs?|seconds?)$/],
  ['m', /^(m|mins?|minutes?)$/],
  ['h', /^(h|hrs?|hours?)$/],
];
const ORDER = ['h', 'm', 's', 'ms'];

/** `10min`, `2 minutes`, `1h 30m`, `90 SEC` → as a duration is written here; undefined if there is no such one. */
export function durationMeant(text: string): string | undefined {
  const parts = [
    ...text
      .trim()
      .toLowerCase()
      .matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/gy),
  ];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.trim().toLowerCase()) return undefined;
  const written = parts.map(
    ([, count = '', word = '']) => [count, WORDS.find(([, form]) => form.test(word))?.[0]] as const,
  );
  const units = written.map(([, unit]) => ORDER.indexOf(unit ?? ''));
  const isInOrder = units.every((unit, place) => unit >= 0 && (place === 0 || unit > (units[place - 1] ?? 0)));
  const meant = written.map(([count, unit]) => `${count}${unit}`).join('');
  return isInOrder && (parseDuration(meant) ?? 0) > 0 ? meant : undefined;
}
