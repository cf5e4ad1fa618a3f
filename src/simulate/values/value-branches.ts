/** What a schema says at one of its branches, how many it has, which type it means. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../core/json.js';
import { flatten, type SchemaType } from '../../providers/sketch-schema.js';

const flats = new WeakMap<JsonObject, JsonObject[]>();

export function flatAt(schema: Json | undefined, root: JsonSchema, branch: number): JsonObject {
  if (!isObject(schema)) return {};
  const known = flats.get(schema) ?? [];
  flats.set(schema, known);
  const flat = known[branch] ?? flatten(schema, root, branch);
  known[branch] = flat;
  return flat;
}

const counts = new WeakMap<JsonObject, number>();

export function branchesOf(schema: Json | undefined, root: JsonSchema, depth = 0): number {
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

/** Where it names none. */
export function typeMeant(flat: JsonObject): SchemaType {
  if (flat.properties !== undefined || flat.required !== undefined) return 'object';
  if (flat.items !== undefined || flat.prefixItems !== undefined || flat.minItems !== undefined) return 'array';
  const isNumeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some(
    (keyword) => flat[keyword] !== undefined,
  );
  return isNumeric ? 'number' : 'string';
}
