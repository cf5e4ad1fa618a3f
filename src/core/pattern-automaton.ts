/** Reads a regular expression as an automaton: its characters as places, and which place can follow which. */

/** Code points, both ends included. */
type Range = readonly [low: number, high: number];

export interface Automaton {
  readonly places: readonly (readonly Range[])[];
  readonly follow: readonly (readonly number[])[];
  /** Whether one place follows another in two ways: a loop directly in a loop. */
  readonly twice: boolean;
}

interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
}

const LAST = 0x10ffff;
const ALL: readonly Range[] = [[0, LAST]];
const EMPTY: Part = { first: [], last: [], canBeEmpty: true };
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
    [160, 160],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, '0': 0 };

/** Counted repetitions up to this are written out; longer ones are taken for loops. */
const MAX_WRITTEN_OUT = 8;
const MAX_READS = 20_000;
const MAX_NESTING = 100;

class Refused extends Error {}

/** @param pattern one that compiles */
export function automatonOf(pattern: string, maxPlaces: number): Automaton | { readonly refused: string } {
  const places: (readonly Range[])[] = [];
  const follow: Set<number>[] = [];
  let twice = false;
  let at = 0;
  /** Loops are read anew for each copy that is written out, and groups within them too. */
  let reads = 0;
  let nesting = 0;

  const place = (ranges: readonly Range[]): Part => {
    if (places.length >= maxPlaces) throw new Refused('it is too long to be checked');
    const index = places.push(ranges) - 1;
    follow.push(new Set());
    return { first: [index], last: [index], canBeEmpty: false };
  };
  const link = (from: readonly number[], to: readonly number[]): void => {
    for (const a of from) {
      for (const b of to) {
        if (follow[a]?.has(b)) twice = true;
        follow[a]?.add(b);
      }
    }
  };
  const sequence = (a: Part, b: Part): Part => {
    link(a.last, b.first);
    return {
      first: a.canBeEmpty ? [...a.first, ...b.first] : a.first,
      last: b.canBeEmpty ? [...a.last, ...b.last] : b.last,
      canBeEmpty: a.canBeEmpty && b.canBeEmpty,
    };
  };
  const alternatives = (): Part => {
    let part = series();
    while (pattern[at] === '|') {
      at++;
      const other = series();
      part = {
        first: [...part.first, ...other.first],
        last: [...part.last, ...other.last],
        canBeEmpty: part.canBeEmpty || other.canBeEmpty,
      };
    }
    return part;
  };
  const series = (): Part => {
    let part = EMPTY;
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') part = sequence(part, quantified());
    return part;
  };
  const quantified = (): Part => {
    const start = at;
    const part = atom();
    const end = at;
    const times = quantifier();
    if (!times) return part;
    const { least, most } = times;
    if (most === 0) return EMPTY;
    if (most === 1) return least === 0 ? { ...part, canBeEmpty: true } : part;
    if (most > MAX_WRITTEN_OUT) {
      link(part.last, part.first);
      return least === 0 ? { ...part, canBeEmpty: true } : part;
    }
    // Written out: each copy is read anew.
    const after = at;
    let whole = least === 0 ? { ...part, canBeEmpty: true } : part;
    for (let copy = 2; copy <= most; copy++) {
      at = start;
      const next = atom();
      if (at !== end) throw new Refused('it cannot be read');
      whole = sequence(whole, copy > least ? { ...next, canBeEmpty: true } : next);
    }
    at = after;
    return whole;
  };
  const quantifier = (): { readonly least: number; readonly most: number } | undefined => {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(pattern.slice(at));
    if (!found) return undefined;
    at += found[0].length;
    const [, sign, low, comma, high] = found;
    if (sign) return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    const least = Number(low);
    return { least, most: high ? Number(high) : comma ? Number.POSITIVE_INFINITY : least };
  };
  const atom = (): Part => {
    if (++reads > MAX_READS) throw new Refused('it is too long to be checked');
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += character.length;
    switch (character) {
      case '^':
      case '$':
        return EMPTY;
      case '.':
        return place([
          [0, 9],
          [11, 12],
          [14, LAST],
        ]);
      case '(':
        return group();
      case '[':
        return place(bracket());
      case '\\':
        return escapeOutside();
      default:
        return place(point(character));
    }
  };
  const group = (): Part => {
    const lead = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(pattern.slice(at))?.[0] ?? '';
    if (/^\?<?[=!]/.test(lead)) throw new Refused('it looks around: (?=…), (?!…), (?<=…), (?<!…)');
    if (pattern[at] === '?' && lead === '') throw new Refused('it has a kind of group that is not supported');
    at += lead.length;
    if (++nesting > MAX_NESTING) throw new Refused(`its groups are nested more than ${MAX_NESTING} levels deep`);
    const part = alternatives();
    nesting--;
    at++;
    return part;
  };
  const escapeOutside = (): Part => {
    const letter = pattern[at] ?? '';
    if (letter === 'b' || letter === 'B') {
      at++;
      return EMPTY;
    }
    if (/[1-9k]/.test(letter)) throw new Refused(`it looks back: \\${letter}`);
    return place(escaped());
  };
  /** After the backslash; in a class or outside. */
  const escaped = (): readonly Range[] => {
    const rest = pattern.slice(at);
    const code = /^(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(rest);
    if (code) {
      at += code[0].length;
      return single(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '0', 16));
    }
    const property = /^[pP]\{[^}]*\}/.exec(rest)?.[0];
    if (property) {
      at += property.length;
      return ALL;
    }
    const control = /^c[a-zA-Z]/.exec(rest)?.[0];
    if (control) {
      at += 2;
      return single(control.charCodeAt(1) % 32);
    }
    const letter = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    at += letter.length;
    const named = CLASSES[letter.toLowerCase()];
    if (named && /[dwsDWS]/.test(letter)) return letter === letter.toLowerCase() ? named : inverted(named);
    const known = CONTROLS[letter];
    return known === undefined ? point(letter) : single(known);
  };
  const bracket = (): readonly Range[] => {
    const isInverted = pattern[at] === '^';
    if (isInverted) at++;
    const ranges: Range[] = [];
    while (pattern[at] !== ']') {
      const low = member();
      const isRange = pattern[at] === '-' && pattern[at + 1] !== ']';
      if (!isRange) {
        ranges.push(...low);
        continue;
      }
      at++;
      const high = member();
      ranges.push([low[0]?.[0] ?? 0, high[0]?.[1] ?? LAST]);
    }
    at++;
    return isInverted ? inverted(ranges) : ranges;
  };
  const member = (): readonly Range[] => {
    if (pattern[at] === '\\') {
      at++;
      if (pattern[at] !== 'b') return escaped();
      at++;
      return single(8);
    }
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += character.length;
    return point(character);
  };

  try {
    alternatives();
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
  return { places, follow: follow.map((all) => [...all]), twice };
}

function point(character: string): readonly Range[] {
  return single(character.codePointAt(0) ?? 0);
}

function single(code: number): readonly Range[] {
  return [[code, code]];
}

function inverted(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  let next = 0;
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (low > next) result.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= LAST) result.push([next, LAST]);
  return result;
}
