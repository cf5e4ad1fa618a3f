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
