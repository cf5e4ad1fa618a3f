/** What was meant, where there is one answer only: it may be written without asking. */
import { nearest } from '../core/problems.js';

/** Undefined if two names are equally near: then a person chooses. */
export function certainly(word: string, known: Iterable<string>): string | undefined {
  const names = [...new Set(known)];
  const first = nearest(word, names);
  // Of equally near names the first of the list is taken.
  return first !== undefined && first === nearest(word, names.toReversed()) ? first : undefined;
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  y: true,
  false: false,
  no: false,
  off: false,
  n: false,
};

/** `yes`, `Off`, `"true"`. */
export function booleanMeant(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : undefined;
}

/** `"3"`, `250_000`, `250,000`. */
export function numberMeant(text: string): number | undefined {
  const plain = text.trim().replace(/(?<=\d)[_,](?=\d{3}(?!\d))/g, '');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}

const UNITS: readonly (readonly [string, RegExp])[] = [
  ['ms', /^(ms|msecs?|millis|milliseconds?)$/],
  ['s', /^(s|secs?|seconds?)$/],
  ['m', /^(m|mins?|minutes?)$/],
  ['h', /^(h|hrs?|hours?)$/],
];
const ORDER = ['h', 'm', 's', 'ms'];

/** `10min`, `2 minutes`, `1h 30m`, `90 SEC` → as a duration is written here. */
export function durationMeant(text: string): string | undefined {
  const parts = [
    ...text
      .trim()
      .toLowerCase()
      .matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/gy),
  ];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.trim().toLowerCase()) return undefined;
  const written = parts.map(
    ([, count = '', word = '']) => [count, UNITS.find(([, form]) => form.test(word))?.[0]] as const,
  );
  const units = written.map(([, unit]) => ORDER.indexOf(unit ?? ''));
  const isInOrder = units.every((unit, place) => unit >= 0 && (place === 0 || unit > (units[place - 1] ?? 0)));
  return isInOrder ? written.map(([count, unit]) => `${count}${unit}`).join('') : undefined;
}
