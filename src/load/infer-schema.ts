/** JSON Schemas as types of the check. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import { resolvePointer } from '../core/schema-references.js';
import {
  BOOLEAN,
  DYNAMIC,
  type Field,
  intersect,
  isNever,
  literalType,
  type MapType,
  NULL,
  NUMBER,
  STRING,
  type Type,
  tupleOf,
  union,
} from './infer-types.js';

/** Nesting that is followed; what lies deeper is dynamic. */
const MAX_DEPTH = 16;
const MAX_SCHEMAS = 5000;

interface Reading {
  readonly root: JsonSchema;
  readonly depth: number;
  /** References that are being followed: a recursive schema is followed once. */
  readonly following: readonly string[];
  readonly defaultsApply: boolean;
  /** Schemas that may still be read: many that name each other would be read without end. */
  readonly left: { schemas: number };
}

/** @param options.defaultsApply fields with a `default` are always there, as for inputs */
export function typeOfSchema(schema: JsonSchema, options: { readonly defaultsApply?: boolean } = {}): Type {
  const defaultsApply = options.defaultsApply ?? false;
  return read(schema, { root: schema, depth: 0, following: [], defaultsApply, left: { schemas: MAX_SCHEMAS } });
}

function read(schema: Json | undefined, reading: Reading): Type {
  if (!isObject(schema) || reading.depth > MAX_DEPTH || reading.left.schemas-- <= 0) return DYNAMIC;
  const deeper = { ...reading, depth: reading.depth + 1 };
  let type = base(schema, deeper);
  const also = (other: Type): void => {
    const both = intersect(type, other);
    type = isNever(both) ? DYNAMIC : both;
  };
  if (typeof schema.$ref === 'string') also(follow(schema.$ref, deeper));
  if (schema.$dynamicRef !== undefined) return DYNAMIC;
  if (Array.isArray(schema.allOf)) for (const part of schema.allOf) also(read(part, deeper));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(alternatives) || alternatives.length === 0) continue;
    const possible = alternatives.map((one) => intersect(type, read(one, deeper))).filter((one) => !isNever(one));
    type = possible.length === 0 ? DYNAMIC : union(possible);
  }
  if (schema.if !== undefined) {
    type = union(
      [schema.then, schema.else].map((branch) =>
        intersect(type, branch === undefined ? DYNAMIC : read(branch, deeper)),
      ),
    );
    if (isNever(type)) return DYNAMIC;
  }
  return schema.nullable === true ? union([type, NULL]) : type;
}

function follow(ref: string, reading: Reading): Type {
  const times = reading.following.filter((one) => one === ref).length;
  const target = resolvePointer(reading.root, ref);
  if (target === undefined || times > 1) return DYNAMIC;
  return read(target, { ...reading, following: [...reading.following, ref] });
}

/** What the schema says by itself, without its references and branches. */
function base(schema: JsonObject, reading: Reading): Type {
  if (schema.const !== undefined) return literalType(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.length === 0 ? DYNAMIC : union(schema.enum.map(literalType));
  const types = [schema.type ?? impliedType(schema)].flat();
  return union(types.map((name) => named(name, schema, reading)));
}

function impliedType(schema: JsonObject): string {
  const mentions = (...keys: string[]): boolean => keys.some((key) => schema[key] !== undefined);
  if (mentions('properties', 'required', 'additionalProperties', 'patternProperties')) return 'object';
  return mentions('items', 'prefixItems') ? 'array' : 'any';
}

function named(name: unknown, schema: JsonObject, reading: Reading): Type {
  switch (name) {
    case 'string':
      return STRING;
    case 'integer':
    case 'number':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'array':
      return listType(schema, reading);
    case 'object':
      return mapType(schema, reading);
    default:
      return DYNAMIC;
  }
}

function listType(schema: JsonObject, reading: Reading): Type {
  const tuple = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : undefined;
  const others = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  if (!tuple) return { kind: 'list', item: read(others, reading) };
  const first = tuple.map((item: Json) => read(item, reading));
  if (others === false) return tupleOf(first);
  return { kind: 'list', item: union([...first, read(others, reading)]), first };
}

function mapType(schema: JsonObject, reading: Reading): MapType {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = new Map<string, Field>();
  for (const [key, property] of Object.entries(properties)) {
    const isFilled = reading.defaultsApply && isObject(property) && property.default !== undefined;
    fields.set(key, { type: read(property, reading), optional: !required.has(key) && !isFilled });
  }
  for (const key of required) {
    if (typeof key === 'string' && !fields.has(key)) fields.set(key, { type: DYNAMIC, optional: false });
  }
  return { kind: 'map', fields, ...otherKeys(schema, reading) };
}

/** A schema with properties is closed for the check unless it says otherwise. */
function otherKeys(schema: JsonObject, reading: Reading): { readonly rest?: Type; readonly unsaid?: true } {
  const { additionalProperties, unevaluatedProperties, patternProperties, properties } = schema;
  if (isObject(patternProperties)) {
    const named = Object.values(patternProperties).map((property) => read(property, reading));
    const others = additionalProperties === false ? [] : [DYNAMIC];
    return { rest: union([...named, ...others]) };
  }
  const said = additionalProperties ?? unevaluatedProperties;
  if (said === false) return {};
  if (said !== undefined) return { rest: read(said, reading) };
  if (schema.dependentSchemas !== undefined || schema.dependencies !== undefined) return { rest: DYNAMIC };
  return properties === undefined ? { rest: DYNAMIC, unsaid: true } : {};
}
