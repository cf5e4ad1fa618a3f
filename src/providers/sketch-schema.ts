/** JSON Schemas as the sketch model reads them: flattened at one place, with what it cannot honour named. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import { generateMatch, matchesPattern } from './sketch-pattern.js';

export type SchemaType = 'null' | 'boolean' | 'object' | 'array' | 'number' | 'integer' | 'string';

/** Keywords that constrain and that the sketch model does not honour. */
const UNSUPPORTED = [
  ...['not', 'if', 'contains', 'minContains', 'maxContains', 'propertyNames', 'patternProperties'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', '$dynamicRef', '$recursiveRef'],
];

/** In one answer: a schema can ask for more than there is room for. */
export const MAX_VALUES = 20_000;
/** Of one text. */
export const LONGEST_TEXT = 100_000;

interface UnsupportedKeyword {
  /** JSON Pointer into the schema, of the place that has the keyword. */
  readonly path: string;
  readonly keyword: string;
}

/** What constrains in this schema and is not honoured, so that a check can say it before a run. */
export function sketchUnsupported(schema: JsonSchema): UnsupportedKeyword[] {
  const found: UnsupportedKeyword[] = [];
  const seen = new Set<Json>();

  function visit(node: Json | undefined, path: string): void {
    if (node === false) found.push({ path, keyword: 'false' });
    if (!isObject(node) || seen.has(node)) return;
    seen.add(node);
    for (const keyword of UNSUPPORTED) if (node[keyword] !== undefined) found.push({ path, keyword });
    if (typeof node.$ref === 'string') {
      const target = isObject(schema) ? lookUp(schema, node.$ref) : undefined;
      if (target === undefined) found.push({ path, keyword: '$ref' });
      else visit(target, node.$ref.replace(/^#/, ''));
    }
    if (typeof node.pattern === 'string' && !canMatch(node)) found.push({ path, keyword: 'pattern' });
    if (typeof node.minLength === 'number' && node.minLength > LONGEST_TEXT) found.push({ path, keyword: 'minLength' });
    if (typeof node.minItems === 'number' && node.minItems > MAX_VALUES) found.push({ path, keyword: 'minItems' });
    const properties = isObject(node.properties) ? node.properties : {};
    const names = new Set([...Object.keys(properties), ...strings(node.required)]);
    if (typeof node.minProperties === 'number' && names.size < node.minProperties)
      found.push({ path, keyword: 'minProperties' });
    if (typeof node.maxProperties === 'number' && strings(node.required).length > node.maxProperties) {
      found.push({ path, keyword: 'maxProperties' });
    }
    for (const [name, child] of Object.entries(properties)) visit(child, `${path}/properties/${escapePointer(name)}`);
    for (const keyword of ['items', 'prefixItems', 'allOf'] as const) {
      const value = node[keyword];
      if (Array.isArray(value)) value.forEach((child, i) => void visit(child, `${path}/${keyword}/${i}`));
      else if (isObject(value)) visit(value, `${path}/${keyword}`);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      if (Array.isArray(node[keyword])) visit(node[keyword][0], `${path}/${keyword}/0`);
    }
    if (isObject(node.additionalProperties) && [...names].some((name) => !Object.hasOwn(properties, name))) {
      visit(node.additionalProperties, `${path}/additionalProperties`);
    }
  }

  visit(schema, '');
  return found;
}

/** One place of a schema without `$ref`, `allOf`, `anyOf` and `oneOf`: references followed, all merged, one branch chosen. */
export function flatten(schema: Json | undefined, root: JsonSchema, branch = 0, depth = 0): JsonObject {
  if (!isObject(schema) || depth > 32) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  let flat: JsonObject = own;
  const add = (other: Json | undefined): void => {
    flat = merge(flat, flatten(other, root, branch, depth + 1));
  };
  if (typeof $ref === 'string' && isObject(root)) add(lookUp(root, $ref));
  if (Array.isArray(allOf)) for (const part of allOf) add(part);
  for (const choice of [anyOf, oneOf])
    if (Array.isArray(choice) && choice.length > 0) add(choice[branch % choice.length]);
  return flat;
}

/** The type to make: the first that is not null, or what the other keywords are about. */
export function typeOf(schema: JsonObject): SchemaType {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  const first = types.find((type) => type !== 'null') ?? types[0];
  if (first !== undefined) return first as SchemaType;
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined || schema.minItems !== undefined) return 'array';
  const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
  if (numeric.some((keyword) => schema[keyword] !== undefined)) return 'number';
  if (typeof schema.default === 'boolean') return 'boolean';
  return typeof schema.default === 'number' ? 'number' : 'string';
}

export function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

export function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function canMatch(node: JsonObject): boolean {
  const pattern = node.pattern as string;
  if (generateMatch(pattern) !== undefined || node.const !== undefined || node.enum !== undefined) return true;
  return [node.default, ...(Array.isArray(node.examples) ? node.examples : [])].some(
    (example) => typeof example === 'string' && matchesPattern(pattern, example),
  );
}

function lookUp(root: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith('#')) return undefined;
  let place: Json | undefined = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(place)) place = (place as readonly Json[])[Number(key)];
    else if (isObject(place)) place = place[key];
    else return undefined;
  }
  return place;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Both hold: bounds narrow, lists of values intersect, schemas of the same place meet in an `allOf`. */
function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...a };
  for (const [key, theirs] of Object.entries(b)) {
    const ours = merged[key];
    merged[key] = ours === undefined ? theirs : mergeKeyword(key, ours, theirs);
  }
  return merged;
}

function mergeKeyword(key: string, a: Json, b: Json): Json {
  switch (key) {
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Math.max(Number(a), Number(b));
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return Math.min(Number(a), Number(b));
    case 'required':
      return [...new Set([...strings(a), ...strings(b)])];
    case 'enum':
      return asList(a).filter((value) => asList(b).some((other) => JSON.stringify(other) === JSON.stringify(value)));
    case 'type':
      return mergeTypes(asList(a), asList(b));
    case 'uniqueItems':
      return a === true || b === true;
    case 'items':
      return { allOf: [a, b] };
    case 'properties': {
      const all: Record<string, Json> = isObject(a) ? { ...a } : {};
      for (const [name, schema] of Object.entries(isObject(b) ? b : {})) {
        all[name] = all[name] === undefined ? schema : { allOf: [all[name], schema] };
      }
      return all;
    }
    default:
      // What stands at the place itself (a default beside a $ref) is nearer than what it refers to.
      return a;
  }
}

function mergeTypes(a: readonly Json[], b: readonly Json[]): Json {
  const both = a.filter((type) => b.includes(type) || (type === 'integer' && b.includes('number')));
  if (a.includes('number') && b.includes('integer') && !both.includes('integer')) both.push('integer');
  return both.length === 1 ? (both[0] as Json) : both;
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}
