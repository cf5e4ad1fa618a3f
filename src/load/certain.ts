/** What was meant, where there is one answer only: it may be written without asking. */
import { editDistance, nearest } from '../core/problems.js';

/**
 * What a word is, and so what a wrong guess would do: a name of a step, a field or a file leads nowhere until it is right; a choice of ours
 * or a value of the author's own means something else.
 */
type Words = 'name' | 'choice' | 'value';

/** Undefined if two words are equally near, or if what was written may be meant: then a person chooses. */
export function certainly(word: string, known: Iterable<string>, words: Words = 'name'): string | undefined {
  const all = [...new Set(known)];
  const first = nearest(word, all);
  // Of equally near words the first of the list is taken.
  if (first === undefined || first !== nearest(word, all.toReversed())) return undefined;
  switch (words) {
    case 'name':
      return first;
    case 'choice':
      return isLongSlip(word, first) || isPlainSlip(word, first, all) ? first : undefined;
    case 'value':
      return isPlainSlip(word, first, all) ? first : undefined;
  }
}

function isLongSlip(word: string, meant: string): boolean {
  return Math.min(word.length, meant.length) >= 6 && isWithin(2, word, meant);
}

/** "night" is no slip of "light", "v1.3" none of "v1.2". */
function isPlainSlip(word: string, meant: string, all: readonly string[]): boolean {
  if (Math.min(word.length, meant.length) < 4 || !isWithin(1, word, meant)) return false;
  if (word.replace(/\D/g, '') !== meant.replace(/\D/g, '')) return false;
  const [a = '', b = ''] = word.toLowerCase();
  const beginsAlike = meant.toLowerCase().startsWith(a) || meant.toLowerCase().startsWith(b + a);
  return beginsAlike && !all.some((other) => other !== meant && isWithin(2, word, other));
}

/** Whether at most so many slips lie between two words. Case is no matter. */
function isWithin(slips: number, one: string, other: string): boolean {
  return editDistance(one.toLowerCase(), other.toLowerCase()) <= slips;
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
