/** Strings that match a regular expression: picked from a text, or made from the expression itself. */

/** Longer matches are prose, not names. */
const MAX_PICK_CHARACTERS = 120;
const MAX_PICKS = 200;

/** What the text has that satisfies the pattern: distinct, in order, as whole tokens where the pattern is anchored. */
export function pickMatches(pattern: string, text: string): string[] {
  const exact = compile(pattern);
  if (!exact) return [];
  const inner = innerOf(pattern);
  const anchored = inner !== undefined;
  const search = compile(anchored ? `(?<![\\p{L}\\p{N}_])(?:${inner})(?![\\p{L}\\p{N}_])` : pattern, 'gu');
  const picks = new Set<string>();
  if (search) {
    for (const line of text.split(/\r\n|\r|\n/)) {
      for (const [match] of line.matchAll(search)) {
        if (match !== '' && match.length <= MAX_PICK_CHARACTERS && exact.test(match)) picks.add(match);
        if (picks.size >= MAX_PICKS) return [...picks];
      }
    }
  }
  return [...picks];
}

/** A short string that matches; undefined for look-arounds, back references and whatever else it cannot make. */
export function generateMatch(pattern: string, choice = 0): string | undefined {
  const exact = compile(pattern);
  if (!exact) return undefined;
  for (const extra of [choice, 0]) {
    try {
      const parser = { source: pattern, at: 0, choice: extra, repetitions: MAX_REPETITIONS };
      const made = readAlternatives(parser);
      if (parser.at === pattern.length && exact.test(made)) return made;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
    }
  }
  return undefined;
}

export function matchesPattern(pattern: string, text: string): boolean {
  return compile(pattern)?.test(text) ?? false;
}

class Unsupported extends Error {}

interface Parser {
  readonly source: string;
  at: number;
  /** Picks among equals, so that two strings can differ. */
  choice: number;
  /** Still to be made: counts within counts multiply. */
  repetitions: number;
}

const MAX_REPETITIONS = 20_000;
const MAX_CHARACTERS = 100_000;

function compile(pattern: string, flags = 'u'): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** The pattern without its `^` and `$`, if it has both and they hold for the whole of it. */
function innerOf(pattern: string): string | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$') || pattern.endsWith('\\$')) return undefined;
  const inner = pattern.slice(1, -1);
  let depth = 0;
  for (let i = 0; i < inner.length; i++) {
    const char = inner[i];
    if (char === '\\') i++;
    else if (char === '[' || char === '(') depth++;
    else if (char === ']' || char === ')') depth--;
    else if (char === '|' && depth === 0) return undefined;
  }
  return inner;
}

function readAlternatives(parser: Parser): string {
  const first = readSequence(parser);
  while (parser.source[parser.at] === '|') {
    parser.at++;
    readSequence(parser);
  }
  return first;
}

function readSequence(parser: Parser): string {
  let made = '';
  while (parser.at < parser.source.length && !'|)'.includes(parser.source[parser.at] as string))
    made += readPiece(parser);
  return made;
}

function readPiece(parser: Parser): string {
  const begin = parser.at;
  const once = readAtom(parser);
  const end = parser.at;
  const count = readCount(parser);
  const after = parser.at;
  if (count === 1) return once;
  let made = '';
  for (let i = 0; i < count; i++) {
    parser.at = begin;
    if (parser.repetitions-- <= 0 || made.length > MAX_CHARACTERS) throw new Unsupported();
    made += readAtom(parser);
    parser.at = end;
  }
  parser.at = after;
  return made;
}

function readCount(parser: Parser): number {
  const rest = parser.source.slice(parser.at);
  const quantifier = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(rest);
  if (!quantifier) return 1;
  parser.at += quantifier[0].length;
  if (quantifier[2] !== undefined) return Math.min(Number(quantifier[2]), 2_000);
  return quantifier[1] === '+' ? 1 : 0;
}

function readAtom(parser: Parser): string {
  const char = parser.source[parser.at++] as string;
  if (char === '^' || char === '$') return '';
  if (char === '.') return 'x';
  if (char === '[') return readClass(parser);
  if (char === '(') return readGroup(parser);
  if (char === '\\') return readEscape(parser);
  if ('*+?{'.includes(char)) throw new Unsupported();
  return char;
}

function readGroup(parser: Parser): string {
  const rest = parser.source.slice(parser.at);
  const opening = /^\?(?::|<[A-Za-z_]\w*>)/.exec(rest);
  if (opening) parser.at += opening[0].length;
  else if (rest.startsWith('?')) throw new Unsupported();
  const made = readAlternatives(parser);
  if (parser.source[parser.at++] !== ')') throw new Unsupported();
  return made;
}

function readEscape(parser: Parser): string {
  const char = parser.source[parser.at++] ?? '';
  if (char === 'd') return takeFrom(parser, '1234567890');
  if (char === 'w') return takeFrom(parser, 'abcdefgh');
  if (char === 's') return ' ';
  if (char === 'b' || char === 'B') return '';
  if (char === 'S') return takeFrom(parser, 'xyz');
  if (char === 'D' || char === 'W') return char === 'D' ? 'x' : '-';
  if (char === 'n' || char === 't' || char === 'r') return { n: '\n', t: '\t', r: '\r' }[char];
  if (char === 'p' || char === 'P') return readProperty(parser, char);
  if (/[A-Za-z0-9]/.test(char)) throw new Unsupported();
  return char;
}

function readProperty(parser: Parser, letter: string): string {
  const name = /^\{[^}]*\}/.exec(parser.source.slice(parser.at))?.[0];
  if (!name) throw new Unsupported();
  parser.at += name.length;
  return oneOf(parser, new RegExp(`\\${letter}${name}`, 'u'));
}

/** The whole class is tried on likely characters, so that ranges and escapes in it need no reading. */
function readClass(parser: Parser): string {
  const rest = parser.source.slice(parser.at - 1);
  const whole = /^\[\^?\]?(?:\\.|[^\]\\])*\]/.exec(rest)?.[0];
  const matcher = whole === undefined ? undefined : compile(`^${whole}$`);
  if (!whole || !matcher) throw new Unsupported();
  parser.at += whole.length - 1;
  return oneOf(parser, matcher);
}

const LIKELY = [...'abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ _-./:+#@!?,;()', '中', '文'];

function oneOf(parser: Parser, matcher: RegExp): string {
  const fitting = LIKELY.filter((char) => matcher.test(char));
  if (fitting.length === 0) throw new Unsupported();
  return takeFrom(parser, fitting);
}

function takeFrom(parser: Parser, characters: ArrayLike<string>): string {
  const taken = characters[parser.choice % characters.length] as string;
  parser.choice = Math.floor(parser.choice / characters.length);
  return taken;
}
