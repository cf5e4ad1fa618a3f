/** Placeholder values that satisfy a JSON Schema, made of the words of a prompt. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import type { PromptText } from './prompt-text.js';
import { generateMatch, matchesPattern, pickMatches } from './sketch-pattern.js';
import { flatten, LONGEST_TEXT, MAX_VALUES, number, strings, typeOf } from './sketch-schema.js';
import { formattedText, placeholderText } from './sketch-text.js';

export interface Sketch {
  readonly prompt: PromptText;
  /** How often an answer was refused: shifts what is picked among equals. */
  readonly variant: number;
}

const MAX_OPTIONAL_DEPTH = 6;
const MAX_DEPTH = 16;
/** Of all texts of one answer; what is beyond them or `MAX_VALUES` is null. */
const MAX_CHARACTERS = 1_000_000;
/** Patterns that this satisfies ask for text, not for a certain word. */
const NEUTRAL_TEXT = 'Placeholder words for a text.';

interface Place {
  readonly path: readonly (string | number)[];
  /** Of the nearest list: texts and picks of its items differ. */
  readonly index: number;
  /** The same, but 0 unless the items must be unique: enums, numbers and booleans differ only then. */
  readonly offset: number;
  /** `$ref`s on the way here: what would begin them again is left out where it may be. */
  readonly refs: readonly string[];
  readonly left: { values: number; characters: number };
}

export function sketchValue(schema: JsonSchema, sketch: Sketch): Json {
  return valueAt(
    schema,
    { path: [], index: 0, offset: 0, refs: [], left: { values: MAX_VALUES, characters: MAX_CHARACTERS } },
    schema,
    sketch,
  );
}

function valueAt(schema: Json | undefined, place: Place, root: JsonSchema, sketch: Sketch): Json {
  if (place.left.values-- <= 0 || place.left.characters <= 0) return null;
  const flat = flatten(schema, root, sketch.variant);
  if (flat.const !== undefined) return flat.const;
  const shift = place.offset + sketch.variant;
  if (Array.isArray(flat.enum) && flat.enum.length > 0) return flat.enum[shift % flat.enum.length] as Json;
  const within = { ...place, refs: [...place.refs, ...refsOf(schema)] };
  switch (typeOf(flat)) {
    case 'null':
      return null;
    case 'boolean':
      return shift === 0 && typeof flat.default === 'boolean' ? flat.default : shift % 2 === 1;
    case 'integer':
      return numberFor(flat, shift, true);
    case 'number':
      return numberFor(flat, shift, false);
    case 'array':
      return listFor(flat, within, root, sketch);
    case 'object':
      return objectFor(flat, within, root, sketch);
    case 'string':
      return counted(stringFor(flat, place, sketch), place);
  }
}

function counted(text: string, { left }: Place): string {
  left.characters -= text.length;
  return text;
}

function objectFor(schema: JsonObject, place: Place, root: JsonSchema, sketch: Sketch): JsonObject {
  const made: Record<string, Json> = {};
  if (place.path.length > MAX_DEPTH) return made;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = strings(schema.required);
  const limit = number(schema.maxProperties) ?? Number.POSITIVE_INFINITY;
  const at = (name: string): Place => ({ ...place, path: [...place.path, name] });
  let optionalLeft = limit - required.length;
  for (const [name, child] of Object.entries(properties)) {
    if (!required.includes(name)) {
      if (child === false || optionalLeft <= 0 || place.path.length >= MAX_OPTIONAL_DEPTH || recurs(child, place))
        continue;
      optionalLeft--;
    }
    made[name] = valueAt(child, at(name), root, sketch);
  }
  const others = isObject(schema.additionalProperties) ? schema.additionalProperties : {};
  for (const name of required) made[name] ??= valueAt(properties[name] ?? others, at(name), root, sketch);
  return made;
}

/** As short as allowed, at least one item. */
function listFor(schema: JsonObject, place: Place, root: JsonSchema, sketch: Sketch): Json {
  const items = Array.isArray(schema.items) ? schema.items : undefined;
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : (items ?? []);
  const rest = items ? schema.additionalItems : schema.items;
  const least = number(schema.minItems) ?? 0;
  const most = number(schema.maxItems) ?? Number.POSITIVE_INFINITY;
  const { default: preset } = schema;
  if (place.offset === 0 && Array.isArray(preset) && preset.length >= least && preset.length <= most) return preset;
  const avoidable = rest === false || recurs(rest, place) || place.path.length > MAX_DEPTH;
  const count = Math.min(most, Math.max(least, prefix.length, avoidable ? 0 : 1));
  return Array.from({ length: Math.min(count, MAX_VALUES) }, (_, i) => {
    const offset = schema.uniqueItems === true ? i : place.offset;
    return valueAt(prefix[i] ?? rest, { ...place, path: [...place.path, i], index: i, offset }, root, sketch);
  });
}

function numberFor(schema: JsonObject, shift: number, whole: boolean): number {
  const step = number(schema.multipleOf) ?? 1;
  const low = lowest(schema, whole);
  const high = highest(schema, whole);
  const fits = (value: number): boolean => value >= low && value <= high && isBetween(value, schema);
  if (shift === 0 && typeof schema.default === 'number' && fits(schema.default)) return schema.default;
  const wanted = Number.isFinite(low) ? low : Math.min(0, high);
  const aligned =
    number(schema.multipleOf) === undefined && !whole ? wanted : tidy(Math.ceil(wanted / step - 1e-9) * step);
  const steps = Array.from({ length: 12 }, (_, i) => aligned + i * step);
  const tries = [aligned + shift * step, ...steps, aligned - step, (low + high) / 2, high, low];
  // Divided as a validator does it: 1.2 / 0.4 is not 3 there.
  const exact = (value: number): boolean =>
    (!whole || Number.isInteger(value)) && (schema.multipleOf === undefined || Number.isInteger(value / step));
  return tries.map(tidy).find((value) => Number.isFinite(value) && fits(value) && exact(value)) ?? tidy(aligned);
}

function lowest(schema: JsonObject, whole: boolean): number {
  const open = number(schema.exclusiveMinimum);
  const bounds = [number(schema.minimum), open === undefined || !whole ? open : Math.floor(open) + 1];
  return Math.max(Number.NEGATIVE_INFINITY, ...bounds.filter((bound) => bound !== undefined));
}

function highest(schema: JsonObject, whole: boolean): number {
  const open = number(schema.exclusiveMaximum);
  const bounds = [number(schema.maximum), open === undefined || !whole ? open : Math.ceil(open) - 1];
  return Math.min(Number.POSITIVE_INFINITY, ...bounds.filter((bound) => bound !== undefined));
}

function isBetween(value: number, schema: JsonObject): boolean {
  const low = number(schema.exclusiveMinimum) ?? Number.NEGATIVE_INFINITY;
  const high = number(schema.exclusiveMaximum) ?? Number.POSITIVE_INFINITY;
  return value > low && value < high;
}

function tidy(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) + 0 : value;
}

function stringFor(schema: JsonObject, place: Place, sketch: Sketch): string {
  const least = Math.min(number(schema.minLength) ?? 0, LONGEST_TEXT);
  const most = number(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  const fits = (value: Json | undefined): value is string =>
    typeof value === 'string' && [...value].length >= least && [...value].length <= most;
  const nth = place.index + sketch.variant;
  const preset = nth === 0 && fits(schema.default) ? schema.default : undefined;
  const text = (): string => placeholderText(place.path, sketch.prompt, sketch.variant, least, most);
  const { pattern, format } = schema;
  if (typeof pattern === 'string') {
    if (matchesPattern(pattern, NEUTRAL_TEXT) && matchesPattern(pattern, text())) return preset ?? text();
    const picks = pickMatches(pattern, sketch.prompt.text).filter(fits);
    if (picks.length > 0) return picks[nth % picks.length] as string;
    if (preset !== undefined) return preset;
    if (matchesPattern(pattern, text())) return text();
    const examples = Array.isArray(schema.examples) ? schema.examples.filter(fits) : [];
    const made = generateMatch(pattern, nth);
    return (fits(made) ? made : examples[nth % (examples.length || 1)]) ?? made ?? text();
  }
  return preset ?? (typeof format === 'string' ? formattedText(format, nth, sketch.prompt) : undefined) ?? text();
}

function recurs(schema: Json | undefined, place: Place): boolean {
  return refsOf(schema).some((ref) => place.refs.includes(ref));
}

function refsOf(schema: Json | undefined): string[] {
  if (!isObject(schema)) return [];
  const own = typeof schema.$ref === 'string' ? [schema.$ref] : [];
  const branches = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const items = schema.items === undefined || Array.isArray(schema.items) ? [] : refsOf(schema.items);
  return [...own, ...branches.flatMap(refsOf), ...items];
}
