/** Damages JSON values along their own pieces: fields and items that are gone, twice, others, deeper. */
import { isObject, type Json } from '../../src/core/json.js';
import { below, pick } from './mutate.js';
import type { Random } from './target.js';

const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '0',
  '{',
  '[DONE]',
  'null',
  '\ud800',
  '\0',
  [],
  {},
  [[]],
  [null],
  { __proto__x: 1 },
  { constructor: {} },
  { length: 9 },
  'x'.repeat(10_000),
  { error: null },
  { error: 'no' },
];

const DEEP = 'deeper than any stack';

/** As a text, because what writes JSON has a stack too. */
export function textOf(value: Json, random: Random): string {
  const depth = 10 ** (1 + below(5, random));
  const [open, close] = random() < 0.5 ? ['[', ']'] : ['{"a":', '}'];
  const deep = `${open.repeat(depth)}0${close.repeat(depth)}`;
  return JSON.stringify(value).replaceAll(JSON.stringify(DEEP), deep);
}

/** @param words keys that mean something to who reads it */
export function mutatedJson(value: Json, words: readonly string[], random: Random): Json {
  if (random() < 0.2 || typeof value !== 'object' || value === null) return other(value, random);
  if (Array.isArray(value)) return mutatedList(value, words, random);
  return isObject(value) ? mutatedFields(Object.entries(value), words, random) : value;
}

function mutatedList(items: readonly Json[], words: readonly string[], random: Random): Json {
  if (items.length === 0) return [pick(ODD, random)];
  const at = below(items.length, random);
  const item = items[at] as Json;
  if (random() < 0.7) return items.with(at, mutatedJson(item, words, random));
  return random() < 0.5 ? items.toSpliced(at, 1) : items.toSpliced(at, 0, item);
}

function mutatedFields(fields: readonly [string, Json][], words: readonly string[], random: Random): Json {
  const at = below(fields.length, random);
  const field = fields[at];
  if (!field || random() < 0.1) return Object.fromEntries([...fields, [pick(words, random), pick(ODD, random)]]);
  const [key, value] = field;
  if (random() < 0.75) return Object.fromEntries(fields.with(at, [key, mutatedJson(value, words, random)]));
  if (random() < 0.5) return Object.fromEntries(fields.toSpliced(at, 1));
  return Object.fromEntries(fields.with(at, [pick(words, random), value]));
}

function other(value: Json, random: Random): Json {
  if (random() < 0.1) return DEEP;
  if (random() < 0.2 && typeof value === 'string') return value.slice(0, below(value.length + 1, random));
  return random() < 0.1 ? [value] : random() < 0.1 ? { value } : pick(ODD, random);
}
