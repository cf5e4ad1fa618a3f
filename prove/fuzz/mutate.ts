/** Damages texts along their own pieces: lines, words, brackets, numbers. */
import type { Random } from './target.js';

export interface Corpus {
  readonly texts: readonly string[];
  /** Words that mean something to who reads them. */
  readonly words: readonly string[];
}

type Operation = (text: string, corpus: Corpus, random: Random) => string;

/** Characters of an input; many repeats make it this long. */
const MAX_LENGTH = 100_000;
const ODD_CHARACTERS = [
  ...'"\'`\\{}[]()<>:;,|&*!%@#-?~$= \t\n\r\0\u0085\u00a0\u2028\ufeff\ufffd\u{1f600}',
  '\ud800',
  '\x1b',
];
const NUMBERS = ['0', '-1', '-0', '1e999', '99999999999999999999', '0x7fffffff', '2147483648', '.5', 'NaN', '1_000'];
const BRACKETS = ['[]', '{}', '()', '""', "''", '- ', '? ', '${{}}', '[{'];

export function mutated(corpus: Corpus, random: Random): string {
  let text = pick(corpus.texts, random);
  for (let left = 1 + below(6, random); left > 0; left--) {
    text = pick(OPERATIONS, random)(text, corpus, random).slice(0, MAX_LENGTH);
  }
  return text;
}

export function pick<T>(from: readonly T[], random: Random): T {
  return from[below(from.length, random)] as T;
}

/** A whole number from 0 to below the bound. */
export function below(bound: number, random: Random): number {
  return Math.floor(random() * bound);
}

/** Now and then some of its bytes are others, gone or twice. */
export function damagedBytes(text: string, random: Random): Uint8Array {
  let bytes = Buffer.from(text);
  for (let left = random() < 0.3 ? 1 + below(4, random) : 0; left > 0 && bytes.length > 0; left--) {
    const at = below(bytes.length, random);
    const to = at + 1 + below(4, random);
    const how = below(4, random);
    if (how < 2) bytes[at] = (bytes[at] as number) ^ (1 << below(8, random));
    else if (how === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    else bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
  }
  return bytes;
}

const OPERATIONS: readonly Operation[] = [
  onPieces((pieces, random) => pieces.splice(below(pieces.length, random), 1 + below(3, random))),
  onPieces((pieces, random) => pieces.splice(below(pieces.length, random), 0, pick(pieces, random))),
  onPieces((pieces, random) => {
    const [one, other] = [below(pieces.length, random), below(pieces.length, random)];
    [pieces[one], pieces[other]] = [pieces[other] as string, pieces[one] as string];
  }),
  onPieces((pieces, random, { words }) => {
    pieces[below(pieces.length, random)] = pick(words, random);
  }),
  onPieces((pieces, random, { words }) => pieces.splice(below(pieces.length, random), 0, pick(words, random))),
  onPieces((pieces, random, { texts }) => {
    const others = piecesOf(pick(texts, random), random);
    const from = below(others.length, random);
    pieces.splice(below(pieces.length, random), 0, ...others.slice(from, from + 1 + below(8, random)));
  }),
  // Many of the same.
  onPieces((pieces, random) => {
    const at = below(pieces.length, random);
    const piece = pieces[at] as string;
    const most = Math.min(10 ** (1 + below(5, random)), MAX_LENGTH / (piece.length + 1));
    pieces[at] = piece.repeat(Math.max(1, Math.floor(most)));
  }),
  // A character is another one, or one more.
  (text, _, random) => {
    const at = below(text.length + 1, random);
    return text.slice(0, at) + pick(ODD_CHARACTERS, random) + text.slice(at + below(2, random));
  },
  // A number is another one.
  (text, _, random) => {
    const numbers = [...text.matchAll(/-?\d+(\.\d+)?/g)];
    if (numbers.length === 0) return text;
    const { index, 0: number } = pick(numbers, random);
    return text.slice(0, index) + pick(NUMBERS, random) + text.slice(index + number.length);
  },
  // Nesting in brackets.
  (text, _, random) => {
    const brackets = pick(BRACKETS, random);
    const middle = Math.ceil(brackets.length / 2);
    const [open, close] = [brackets.slice(0, middle), brackets.slice(middle)];
    const depth = 10 ** (1 + below(5, random));
    // Mostly where a value may begin.
    const starts = [...text.matchAll(/[:-] /g)].map(({ index }) => index + 2);
    const at = starts.length > 0 && random() < 0.7 ? pick(starts, random) : below(text.length + 1, random);
    const rest = random() < 0.5 ? text.slice(at) : '';
    return text.slice(0, at) + open.repeat(depth) + rest + (random() < 0.5 ? close.repeat(depth) : '');
  },
  // Nesting by indentation.
  (text, _, random) => {
    const depth = 2 ** (2 + below(8, random));
    const lines = Array.from(
      { length: depth },
      (_each, level) => `${' '.repeat(level)}${pick(['a:', '- b:', '-'], random)}\n`,
    );
    const at = text.indexOf('\n', below(text.length + 1, random)) + 1;
    return text.slice(0, at) + lines.join('') + text.slice(at);
  },
  // The end is gone, or the line ends are others.
  (text, _, random) => (random() < 0.5 ? text.slice(0, below(text.length + 1, random)) : text.replaceAll('\n', '\r\n')),
];

function onPieces(change: (pieces: string[], random: Random, corpus: Corpus) => unknown): Operation {
  return (text, corpus, random) => {
    const pieces = piecesOf(text, random);
    if (pieces.length > 0) change(pieces, random, corpus);
    return pieces.join('');
  };
}

/** Lines, or words with what is between them. */
function piecesOf(text: string, random: Random): string[] {
  return text.match(random() < 0.5 ? /[^\n]*\n|[^\n]+/g : /\w+|\s+|[^\w\s]/g) ?? [];
}
