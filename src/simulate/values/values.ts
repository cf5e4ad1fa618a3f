/** Values that a schema allows, at its edges: every branch, missing and null, empty and full, the bounds of numbers, hostile texts. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../core/json.js';
import { number, type SchemaType, strings } from '../../providers/sketch-schema.js';
import type { Draw } from '../choices/choices.js';
import { branchesOf, flatAt, typeMeant } from './value-branches.js';
import { textFor } from './value-texts.js';

/** What the values of a step may be made of, beside what its schema says: texts and numbers that its conditions speak of. */
export interface Pool {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  /** For one place of the value: `cites.*`. */
  readonly at: ReadonlyMap<string, readonly string[]>;
  /** Lists that others choose from: plainly they hold several items. */
  readonly full: ReadonlySet<string>;
  /** Lists that plainly hold as little as they may. */
  readonly bare: ReadonlySet<string>;
}

export const NO_POOL: Pool = { texts: [], numbers: [], at: new Map(), full: new Set(), bare: new Set() };

const MAX_DEPTH = 10;
const MAX_VALUES = 400;
const VALUES_OF_AN_ITEM = 30;
const MOST_ITEMS = 24;
/** Where a condition speaks of so many. */
const MOST_COUNTED = 120;
const SEVERAL = 6;
/** Where items must differ. */
const MORE_TRIES = 8;
/** Branches of control are worth more tries than odd texts. */
const BRANCH = 0.4;

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
  const flat = flatAt(schema, root, branches > 1 ? draw.rarely(BRANCH, branches) : 0);
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
      return textFor(flat, draw, pool, pool.at.get(at.place) ?? [], at.index);
  }
}

function typeFor(flat: JsonObject, draw: Draw): SchemaType {
  if (!Array.isArray(flat.type)) return (flat.type as SchemaType | undefined) ?? typeMeant(flat);
  const types = [...flat.type.filter((type) => type !== 'null'), ...flat.type.filter((type) => type === 'null')];
  return types[draw.rarely(BRANCH, types.length)] as SchemaType;
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
  const allowed = Math.min(number(flat.maxItems) ?? MOST_COUNTED, MOST_COUNTED);
  const most = Math.max(least, Math.min(allowed, MOST_ITEMS));
  const plain = Math.min(
    most,
    Math.max(least, prefix.length, at.depth > MAX_DEPTH || rest === false ? 0 : usualCount(at.place, pool)),
  );
  const counts = [
    plain,
    least,
    Math.min(most, plain + 1),
    Math.min(most, plain + 2),
    Math.max(least, Math.min(most, 6)),
    most,
  ];
  for (const one of pool.numbers) {
    for (const count of [one, one + 1])
      if (Number.isInteger(one) && count >= least && count <= allowed) counts.push(count);
  }
  const count = counts[draw.rarely(BRANCH, counts.length)] ?? plain;
  // What must be there is made, however much it is.
  if (least > SEVERAL) at.left.values += least * VALUES_OF_AN_ITEM;
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

function usualCount(place: string, pool: Pool): number {
  return pool.full.has(place) ? SEVERAL : pool.bare.has(place) ? 0 : 1;
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
