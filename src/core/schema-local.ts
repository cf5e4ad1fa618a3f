/** Writes a schema so that it knows no names: each reference as a pointer from its root. */
import { isObject, type Json, type JsonObject, type JsonSchema } from './json.js';
import { type Place, pointerOf, type References, referencesOf } from './schema-references.js';

/** @param hasDynamic whether the draft knows `$dynamicRef` */
export function localSchema(schema: JsonSchema, hasDynamic: boolean): JsonSchema {
  if (!isObject(schema)) return schema;
  const references = referencesOf(schema);
  const rewrite = (json: Json): Json => {
    if (Array.isArray(json)) return json.map(rewrite);
    if (!isObject(json)) return json;
    const place = references.at(json);
    const own = place ? localised(json, place, references, hasDynamic) : json;
    const entries = Object.entries(own).map(([key, value]): [string, Json] => {
      const isValue = place !== undefined && ['const', 'enum', 'default', 'examples'].includes(key);
      return [key, isValue ? value : rewrite(value)];
    });
    return Object.fromEntries(entries);
  };
  return rewrite(schema) as JsonObject;
}

const NAMES = new Set(['$id', '$anchor', '$dynamicAnchor', '$ref', '$dynamicRef', '$schema', '$vocabulary']);

function localised(schema: JsonObject, place: Place, references: References, hasDynamic: boolean): JsonObject {
  const pointer = (ref: Json | undefined): { readonly $ref: string } | undefined => {
    const target = typeof ref === 'string' ? references.target(ref, place) : undefined;
    return target && { $ref: pointerOf(target.path) };
  };
  const rest = Object.entries(schema).filter(
    ([key]) => !NAMES.has(key) && !(key === 'nullable' && schema.type === undefined),
  );
  const plain = pointer(schema.$ref);
  const dynamic = hasDynamic ? pointer(schema.$dynamicRef) : undefined;
  const both = plain && dynamic ? { allOf: [...((schema.allOf as Json[] | undefined) ?? []), dynamic] } : {};
  const $schema = place.path.length === 0 && schema.$schema !== undefined ? { $schema: schema.$schema } : {};
  return { ...$schema, ...Object.fromEntries(rest), ...(plain ?? dynamic ?? {}), ...both };
}
