/** Finds what no value can satisfy in one schema, or hardly can: bounds that cross, fields that are required but not among the properties. */
import { isObject, type JsonObject } from './json.js';
import { nearest } from './problems.js';

export interface Impossibility {
  /** A warning where another value than was meant would satisfy it. */
  readonly severity: 'error' | 'warning';
  /** Keys into the schema. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

export function impossibilities(schema: JsonObject): Impossibility[] {
  const crossed = BOUNDS.flatMap(([least, most]): Impossibility[] => {
    const [low, high] = [schema[least], schema[most]];
    if (typeof low !== 'number' || typeof high !== 'number' || low <= high) return [];
    const message = `No value can satisfy this: ${least} is ${low}, and ${most} is ${high}`;
    return [{ severity: 'error', path: [least], message }];
  });
  const nothing: Impossibility[] =
    Array.isArray(schema.enum) && schema.enum.length === 0
      ? [{ severity: 'error', path: ['enum'], message: 'No value can satisfy this: enum names none' }]
      : [];
  return [...crossed, ...nothing, ...strayFields(schema)];
}

/** Keywords by which another schema may name more fields of the same value. */
const ELSEWHERE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'];
/** Any two words of two letters look alike. */
const LEAST_LETTERS = 3;
/** Names that are compared to find what was meant, and their length. */
const MAX_COMPARED = 50_000;
const MAX_COMPARED_LETTERS = 100;

/** Where other fields may be named elsewhere, or are allowed, only what looks misspelled is said. */
function strayFields(schema: JsonObject): Impossibility[] {
  const { required, properties, patternProperties, additionalProperties } = schema;
  if (!Array.isArray(required)) return [];
  const isClosed = additionalProperties === false && patternProperties === undefined;
  if (!isClosed && ELSEWHERE.some((keyword) => schema[keyword] !== undefined)) return [];
  const allowed = isObject(properties) ? Object.keys(properties) : [];
  const known = new Set(allowed);
  const wanted = new Set<unknown>(required);
  let looks = Math.ceil(MAX_COMPARED / (allowed.length + 1));
  return (required as readonly unknown[]).flatMap((field, index): Impossibility[] => {
    if (typeof field !== 'string' || known.has(field)) return [];
    const path = ['required', index];
    const near = field.length <= MAX_COMPARED_LETTERS && looks-- > 0 ? nearest(field, allowed) : undefined;
    const hint = near ? { hint: `Did you mean ${JSON.stringify(near)}?` } : {};
    const what = `the field ${JSON.stringify(field)} is required, but not among the properties`;
    if (isClosed) return [{ severity: 'error', path, message: `No value can satisfy this: ${what}`, ...hint }];
    const isMisspelled = near !== undefined && field.length >= LEAST_LETTERS && !wanted.has(near);
    return isMisspelled ? [{ severity: 'warning', path, message: `T${what.slice(1)}`, ...hint }] : [];
  });
}
