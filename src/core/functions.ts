/** The functions of the expression language: their arities, their types, what they do. */
import { TookTooLong, within } from './bounded.js';
import type { Json } from './json.js';
import { canonicalJson } from './json.js';

export type Kind = 'any' | 'text' | 'number' | 'boolean' | 'list' | 'map' | 'text list';

export interface CelFunction {
  /** Argument kinds, alternatives by `|`; a method's receiver comes first. */
  readonly takes: readonly string[];
  /** How many of `takes` may be left out at the end. */
  readonly optional?: number;
  readonly gives: Kind;
  /** Throws a string that says what is wrong with the values. */
  readonly apply: (...values: never[]) => Json;
}

/** Bounds of one evaluation. */
export const MAX_LIST_ITEMS = 100_000;
export const MAX_TEXT_CHARACTERS = 16_000_000;

/** How a value stands in a text: strings as they are, null as nothing, the rest as JSON. */
export function asText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

const number = (text: string): number => {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) throw `${JSON.stringify(text)} is not a number`;
  return Number(text);
};

const size = {
  takes: ['text|list|map'],
  gives: 'number',
  apply: (value: string | Json[] | object) =>
    typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : Object.keys(value).length,
} as const satisfies CelFunction;

const join = {
  takes: ['list', 'text'],
  optional: 1,
  gives: 'text',
  apply: (list: Json[], separator = '') => list.map(asText).join(separator),
} as const satisfies CelFunction;

/** Called as `name(…)`. `has`, `default` and `cel.bind` are no functions: their arguments are not evaluated first. */
export const FUNCTIONS: Readonly<Record<string, CelFunction>> = {
  __proto__: null as never,
  size,
  join,
  lines: {
    takes: ['text|list'],
    gives: 'any',
    apply: (value: string | Json[]) => (typeof value === 'string' ? splitLines(value) : value.map(asText).join('\n')),
  },
  string: {
    takes: ['any'],
    gives: 'text',
    apply: (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value)),
  },
  int: {
    takes: ['text|number'],
    gives: 'number',
    apply: (value: string | number) => Math.trunc(typeof value === 'string' ? number(value) : value),
  },
  double: {
    takes: ['text|number'],
    gives: 'number',
    apply: (value: string | number) => (typeof value === 'string' ? number(value) : value),
  },
  bool: {
    takes: ['text|boolean'],
    gives: 'boolean',
    apply: (value: string | boolean) => {
      if (typeof value === 'boolean') return value;
      if (value !== 'true' && value !== 'false') throw `${JSON.stringify(value)} is neither "true" nor "false"`;
      return value === 'true';
    },
  },
  dyn: { takes: ['any'], gives: 'any', apply: (value: Json) => value },
};

/** Called as `value.name(…)`. */
export const METHODS: Readonly<Record<string, CelFunction>> = {
  __proto__: null as never,
  size,
  join,
  startsWith: { takes: ['text', 'text'], gives: 'boolean', apply: (a: string, b: string) => a.startsWith(b) },
  endsWith: { takes: ['text', 'text'], gives: 'boolean', apply: (a: string, b: string) => a.endsWith(b) },
  contains: { takes: ['text', 'text'], gives: 'boolean', apply: (a: string, b: string) => a.includes(b) },
  matches: { takes: ['text', 'text'], gives: 'boolean', apply: matches },
  lowerAscii: {
    takes: ['text'],
    gives: 'text',
    apply: (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  },
  upperAscii: {
    takes: ['text'],
    gives: 'text',
    apply: (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  },
  trim: { takes: ['text'], gives: 'text', apply: (text: string) => text.trim() },
  indexOf: {
    takes: ['text', 'text', 'number'],
    optional: 1,
    gives: 'number',
    apply: (text: string, part: string, from = 0) => text.indexOf(part, from),
  },
  lastIndexOf: {
    takes: ['text', 'text'],
    gives: 'number',
    apply: (text: string, part: string) => text.lastIndexOf(part),
  },
  substring: {
    takes: ['text', 'number', 'number'],
    optional: 1,
    gives: 'text',
    apply: (text: string, start: number, end = text.length) => {
      const whole = Number.isInteger(start) && Number.isInteger(end);
      if (!whole || start < 0 || end < start || end > text.length) throw `the text has ${text.length} characters`;
      return text.substring(start, end);
    },
  },
  replace: {
    takes: ['text', 'text', 'text'],
    gives: 'text',
    apply: (text: string, part: string, by: string) => {
      const pieces = text.split(part);
      if (text.length + pieces.length * by.length > MAX_TEXT_CHARACTERS) throw 'the text would be too long';
      return pieces.join(by);
    },
  },
  split: {
    takes: ['text', 'text', 'number'],
    optional: 1,
    gives: 'text list',
    apply: (text: string, separator: string, limit = -1) => {
      const parts = text.split(separator);
      if (limit < 0 || parts.length <= limit) return parts;
      if (limit === 0) return [];
      return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
    },
  },
};

export function kindOf(value: Json): Kind | 'null' {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean';
  return Array.isArray(value) ? 'list' : 'map';
}

/** The text of the arity: `1`, `1 or 2`. */
export function arity(fn: CelFunction, isMethod: boolean): { least: number; most: number; text: string } {
  const most = fn.takes.length - (isMethod ? 1 : 0);
  const least = most - (fn.optional ?? 0);
  const text = least === most ? `${most}` : `${least} or ${most}`;
  return { least, most, text: `${text} ${most === 1 ? 'argument' : 'arguments'}` };
}

/** Own keys, numbers as doubles; values of different kinds are different, never an error. */
export function isEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return canonicalJson(a) === canonicalJson(b);
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A pattern with overlapping loops needs time with the square of the text's length. */
const MAX_MATCHED_CHARACTERS = 20_000;
/** No pattern that is accepted takes long on a text of this length. */
const SHORT_CHARACTERS = 200;
/** Even one that does not explode can need a time with the cube of the text. */
const MAX_MATCH_MS = 2_000;
const compiled = new Map<string, RegExp>();

function matches(text: string, pattern: string): boolean {
  if (text.length > MAX_MATCHED_CHARACTERS) throw `the text is longer than ${MAX_MATCHED_CHARACTERS} characters`;
  const regex = compiled.get(pattern) ?? new RegExp(pattern, 'u');
  compiled.set(pattern, regex);
  if (text.length <= SHORT_CHARACTERS) return regex.test(text);
  try {
    return within(MAX_MATCH_MS, () => regex.test(text));
  } catch (error) {
    if (error instanceof TookTooLong) throw error.message;
    throw error;
  }
}
