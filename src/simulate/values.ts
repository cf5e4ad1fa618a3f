/** Values that a schema allows, at its edges: every branch, missing and null, empty and full, the bounds of numbers, hostile texts. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import { generateMatch, matchesPattern } from '../providers/sketch-pattern.js';
import { flatten, number, type SchemaType, strings } from '../providers/sketch-schema.js';
import type { Draw } from './choices.js';

/** What the values of a step may be made of, beside what its schema says: texts and numbers that its conditions speak of. */
export interface Pool {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  /** For one place of the value: `cites.*`. */
  readonly at: ReadonlyMap<string, readonly string[]>;
  /** Lists that others choose from: plainly they hold several items. */
  readonly full: ReadonlySet<string>;
}

export const NO_POOL: Pool = { texts: [], numbers: [], at: new Map(), full: new Set() };

const MAX_DEPTH = 10;
const MAX_VALUES = 400;
const LONG_CHARACTERS = 3_000;
const MOST_ITEMS = 24;
const SEVERAL = 6;
/** Of what a pattern allows: beyond the first few, which others know. */
const FAR = 11;
/** Where items must differ. */
const MORE_TRIES = 8;
/** Branches of control are worth more tries than odd texts. */
const BRANCH = 0.4;

const HOSTILE = [
  ' ',
  '\u0000',
  '${{ steps.secret.output }}',
  '$(touch /tmp/pwned); `id`',
  '../../../etc/passwd',
  '</script><script>alert(1)</script>',
  '__proto__',
  'null',
  '\r\n\u2028\u202e',
  '😀é中文 العربية',
  '"},{"',
  '-rf',
];

interface At {
  readonly depth: number;
  readonly index: number;
  readonly left: { values: number };
  /** As `at` of the pool has it. */
  readonly place: string;
}

const below = (place: string, part: string) => (place === '' ? part : `${place}.${part}`);

export function drawValue(schema: JsonSchema | undefined, draw: Draw, pool: Pool): Json {
  const root = schema ?? true;
  return valueAt(root, root, draw, pool, { depth: 0, index: 0, left: { values: MAX_VALUES }, place: '' });
}

function valueAt(schema: Json | undefined, root: JsonSchema, draw: Draw, pool: Pool, at: At): Json {
  if (at.left.values-- <= 0) return null;
  const branches = branchesOf(schema, root);
  const flat = flat1(schema, root, branches > 1 ? draw.rarely(BRANCH, branches) : 0);
  if (flat.const !== undefined) return flat.const;
  if (Array.isArray(flat.enum) && flat.enum.length > 0) return flat.enum[draw.rarely(BRANCH, flat.enum.length)] as Json;
  switch (typeFor(flat, draw)) {
    case 'null':
      return null;
    case 'boolean':
      return draw.rarely(BRANCH, 2) === 1;
    case 'integer':
      return numberFor(flat, true, draw, pool);
    case 'number':
      return numberFor(flat, false, draw, pool);
    case 'array':
      return listFor(flat, root, draw, pool, at);
    case 'object':
      return objectFor(flat, root, draw, pool, at);
    case 'string':
      return textFor(flat, draw, pool.at.get(at.place) ?? [], pool.texts, at.index);
  }
}

const flats = new WeakMap<JsonObject, JsonObject[]>();

function flat1(schema: Json | undefined, root: JsonSchema, branch: number): JsonObject {
  if (!isObject(schema)) return {};
  const known = flats.get(schema) ?? [];
  flats.set(schema, known);
  const flat = known[branch] ?? flatten(schema, root, branch);
  known[branch] = flat;
  return flat;
}

const counts = new WeakMap<JsonObject, number>();

function branchesOf(schema: Json | undefined, root: JsonSchema, depth = 0): number {
  if (!isObject(schema) || depth > 8) return 1;
  const known = counts.get(schema);
  if (known !== undefined) return known;
  const { $ref, allOf, anyOf, oneOf } = schema;
  let most = 1;
  for (const list of [anyOf, oneOf]) if (Array.isArray(list)) most = Math.max(most, list.length);
  if (Array.isArray(allOf)) for (const part of allOf) most = Math.max(most, branchesOf(part, root, depth + 1));
  if (typeof $ref === 'string' && $ref.startsWith('#/') && isObject(root)) {
    let target: Json | undefined = root;
    for (const part of $ref.slice(2).split('/')) target = isObject(target) ? target[part] : undefined;
    most = Math.max(most, branchesOf(target, root, depth + 1));
  }
  counts.set(schema, most);
  return most;
}

function typeFor(flat: JsonObject, draw: Draw): SchemaType {
  if (!Array.isArray(flat.type)) return (flat.type as SchemaType | undefined) ?? guessed(flat);
  const types = [...flat.type.filter((type) => type !== 'null'), ...flat.type.filter((type) => type === 'null')];
  return types[draw.rarely(BRANCH, types.length)] as SchemaType;
}

function guessed(flat: JsonObject): SchemaType {
  if (flat.properties !== undefined || flat.required !== undefined) return 'object';
  if (flat.items !== undefined || flat.prefixItems !== undefined || flat.minItems !== undefined) return 'array';
  const isNumeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some(
    (keyword) => flat[keyword] !== undefined,
  );
  return isNumeric ? 'number' : 'string';
}

function objectFor(flat: JsonObject, root: JsonSchema, draw: Draw, pool: Pool, at: At): JsonObject {
  const made: Record<string, Json> = {};
  const properties = isObject(flat.properties) ? flat.properties : {};
  const required = strings(flat.required);
  const inner = { ...at, depth: at.depth + 1 };
  for (const [name, child] of Object.entries(properties)) {
    if (!required.includes(name)) {
      const isThere = at.depth < MAX_DEPTH && child !== false && draw.rarely(BRANCH, 2) === 1;
      if (!isThere) continue;
    }
    made[name] = valueAt(child, root, draw, pool, { ...inner, place: below(at.place, name) });
  }
  const others = isObject(flat.additionalProperties) ? flat.additionalProperties : {};
  for (const name of required) {
    if (!Object.hasOwn(made, name)) {
      made[name] = valueAt(properties[name] ?? others, root, draw, pool, { ...inner, place: below(at.place, name) });
    }
  }
  const isOpen = flat.additionalProperties !== false;
  const least = number(flat.minProperties) ?? 0;
  const more = isOpen ? Math.max(draw.pick('value', 3), least - Object.keys(made).length) : 0;
  for (let n = 1; n <= more; n++) made[`more${n}`] = valueAt(others, root, draw, pool, inner);
  return made;
}

function listFor(flat: JsonObject, root: JsonSchema, draw: Draw, pool: Pool, at: At): Json {
  const prefix = Array.isArray(flat.prefixItems) ? flat.prefixItems : Array.isArray(flat.items) ? flat.items : [];
  const rest = Array.isArray(flat.items) ? flat.additionalItems : flat.items;
  const least = number(flat.minItems) ?? 0;
  const most = Math.max(least, Math.min(number(flat.maxItems) ?? MOST_ITEMS, MOST_ITEMS));
  const plain = Math.min(
    most,
    Math.max(least, prefix.length, at.depth > MAX_DEPTH || rest === false ? 0 : pool.full.has(at.place) ? SEVERAL : 1),
  );
  const counts = [plain, least, Math.min(most, plain + 1), Math.min(most, plain + 2), Math.min(most, 6), most];
  for (const one of pool.numbers) if (Number.isInteger(one) && one >= least && one <= most) counts.push(one, one + 1);
  const count = Math.min(most, counts[draw.rarely(BRANCH, counts.length)] ?? plain);
  const items: Json[] = [];
  const seen = new Set<string>();
  for (let index = 0; items.length < count && index < count + MORE_TRIES; index++) {
    const value = valueAt(prefix[index] ?? rest, root, draw, pool, {
      ...at,
      depth: at.depth + 1,
      index,
      place: below(at.place, '*'),
    });
    if (flat.uniqueItems === true) {
      const text = JSON.stringify(value);
      if (seen.has(text)) continue;
      seen.add(text);
    }
    items.push(value);
  }
  return items;
}

function numberFor(flat: JsonObject, whole: boolean, draw: Draw, pool: Pool): number {
  const step = number(flat.multipleOf);
  const unit = step ?? (whole ? 1 : 0.001);
  const low = Math.max(
    number(flat.minimum) ?? Number.NEGATIVE_INFINITY,
    (number(flat.exclusiveMinimum) ?? Number.NEGATIVE_INFINITY) + unit,
  );
  const high = Math.min(
    number(flat.maximum) ?? Number.POSITIVE_INFINITY,
    (number(flat.exclusiveMaximum) ?? Number.POSITIVE_INFINITY) - unit,
  );
  const bounded = (value: number) => {
    const inside = Math.min(high, Math.max(low, value));
    const aligned = step === undefined ? inside : Math.ceil(inside / step - 1e-9) * step;
    return whole ? Math.round(aligned) : Number(aligned.toPrecision(12));
  };
  const wide = [low, high].filter(Number.isFinite);
  const known = pool.numbers.flatMap((one) => [one, one - 1, one + 1]);
  const candidates = [typeof flat.default === 'number' ? flat.default : 1, 0, ...wide, -1, 2, 1e9, -1e9, 0.5, ...known];
  return bounded(candidates[draw.rarely(BRANCH, candidates.length)] ?? 0) + 0;
}

function textFor(
  flat: JsonObject,
  draw: Draw,
  kin: readonly string[],
  others: readonly string[],
  index: number,
): string {
  const least = number(flat.minLength) ?? 0;
  const most = number(flat.maxLength) ?? LONG_CHARACTERS;
  const { pattern } = flat;
  const fits = (text: string) =>
    text.length >= least && text.length <= most && (typeof pattern !== 'string' || matches(pattern, text));
  const own = kin.filter(fits);
  const fitting = [...own, ...others.filter(fits)];
  const plain = own[index % (own.length || 1)] ?? plainText(flat, least, most, index);
  const kind = draw.pick('value', 5);
  switch (kind) {
    case 1:
      // The same as the first of a list, where texts must not be empty.
      return fits('') ? '' : plainText(flat, least, most, 0);
    case 2: {
      const one = fitting.length > 0 ? fitting[draw.rarely(1, fitting.length + 1) % fitting.length] : undefined;
      return one ?? plain;
    }
    case 3: {
      const long = 'long '
        .repeat(Math.ceil(Math.min(most, LONG_CHARACTERS) / 5))
        .slice(0, Math.min(most, LONG_CHARACTERS));
      return fits(long) ? long : plainText(flat, least, most, FAR);
    }
    case 4: {
      const hostile = HOSTILE[draw.rarely(1, HOSTILE.length + 1) % HOSTILE.length] ?? '';
      return fits(hostile) ? hostile : plain;
    }
    default:
      return plain;
  }
}

const patterns = new Map<string, Map<string, boolean>>();

function matches(pattern: string, text: string): boolean {
  const known = patterns.get(pattern) ?? new Map<string, boolean>();
  patterns.set(pattern, known);
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size > 5_000) known.clear();
  const now = matchesPattern(pattern, text);
  known.set(text, now);
  return now;
}

const made = new Map<string, string>();

function plainText(flat: JsonObject, least: number, most: number, index: number): string {
  const { pattern, format, examples } = flat;
  const text = index === 0 ? 'text' : `text ${index + 1}`;
  const sized = (one: string) => (one.length < least ? one.padEnd(least, '.') : one.slice(0, Math.max(0, most)));
  if (typeof pattern === 'string') {
    const example = strings(examples).find((one) => matches(pattern, one));
    if (matches(pattern, sized(text))) return sized(text);
    const key = `${index} ${pattern}`;
    const known = made.get(key) ?? generateMatch(pattern, index) ?? example ?? text;
    made.set(key, known);
    return known;
  }
  if (typeof format === 'string') return FORMATS[format]?.(index) ?? sized(text);
  return sized(text);
}

const FORMATS: Readonly<Record<string, (index: number) => string>> = {
  date: (index) => `2030-01-${String((index % 28) + 1).padStart(2, '0')}`,
  'date-time': (index) => `2030-01-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`,
  time: () => '00:00:00Z',
  email: (index) => `a${index}@example.org`,
  uri: (index) => `https://example.org/${index}`,
  uuid: (index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
};

/** A value that its schema does not allow, most of the time. */
export function breakValue(value: Json, draw: Draw): Json {
  const ways = ['null', 'lost', 'more', 'type', 'text', 'list'] as const;
  const way = ways[draw.rarely(0.8, ways.length)];
  if (!isObject(value)) return way === 'text' ? 'nonsense' : way === 'list' ? [value] : null;
  const names = Object.keys(value);
  const name = names[draw.rarely(0.6, Math.max(1, names.length))] ?? '';
  const { [name]: _lost, ...rest } = value;
  switch (way) {
    case 'lost':
      return rest;
    case 'more':
      return { ...value, nobody_asked: true };
    case 'type':
      return { ...value, [name]: { wrong: [1] } };
    case 'text':
      return { ...value, [name]: 'nonsense that no list names' };
    case 'list':
      return { ...value, [name]: [] };
    default:
      return { ...value, [name]: null };
  }
}
