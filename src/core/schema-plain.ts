/** Tells that a plain value satisfies a plain schema without Ajv, whose loading would delay the start of a run. */
import { canonicalJson, isObject, type Json, type JsonObject } from './json.js';

/** Keywords that constrain nothing, or that are looked at below. */
const PLAIN = new Set(
  `$comment additionalProperties const default deprecated description enum examples format items maximum maxLength minimum
  minItems minLength properties required title type`.split(/\s+/),
);

/** True if it certainly does; false if it does not, or cannot be told here. */
export function fitsPlainly(schema: Json | undefined, value: Json): boolean {
  if (!isObject(schema) || Object.keys(schema).some((key) => !PLAIN.has(key))) return false;
  const { type, format, enum: allowed, const: only } = schema;
  if (format !== undefined && format !== 'path') return false;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((one: Json | undefined) => typeof one === 'string' && isOfType(one, value)))
    return false;
  if (allowed !== undefined && !(Array.isArray(allowed) && allowed.some((one: Json) => isSame(one, value))))
    return false;
  if (only !== undefined && !isSame(only, value)) return false;
  if (typeof value === 'number') return isWithin(value, schema.minimum, schema.maximum);
  if (typeof value === 'string') return isWithin(charactersIn(value, schema), schema.minLength, schema.maxLength);
  if (Array.isArray(value)) return fitsAsList(schema, value);
  if (!isObject(value)) return true;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = schema.required ?? [];
  if (!Array.isArray(required) || !required.every((key: Json) => Object.hasOwn(value, String(key)))) return false;
  const { additionalProperties: others = true } = schema;
  return Object.entries(value).every(([key, inner]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : others;
    return known === true || fitsPlainly(known, inner);
  });
}

function charactersIn(text: string, { minLength, maxLength }: JsonObject): number {
  return minLength === undefined && maxLength === undefined ? 0 : [...text].length;
}

function fitsAsList({ items = true, minItems = 0 }: JsonObject, list: readonly Json[]): boolean {
  if (typeof minItems !== 'number' || list.length < minItems) return false;
  return items === true || list.every((item) => fitsPlainly(items, item));
}

function isOfType(type: string, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isObject(value);
  if (type === 'array') return Array.isArray(value);
  return typeof value === type;
}

function isSame(a: Json, b: Json): boolean {
  if (typeof a !== 'object' && typeof b !== 'object') return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

function isWithin(size: number, least: Json | undefined, most: Json | undefined): boolean {
  return (
    [least, most].every((bound) => bound === undefined || typeof bound === 'number') &&
    (least === undefined || size >= Number(least)) &&
    (most === undefined || size <= Number(most))
  );
}
