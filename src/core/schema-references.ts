/** What the references in a schema stand for: by pointer, by anchor, by `$id`. */
import { isObject, type Json, type JsonObject, type JsonSchema } from './json.js';
import { schemasIn } from './schema-keywords.js';

export type SchemaPath = readonly (string | number)[];

export interface Place {
  readonly schema: JsonSchema;
  /** Keys into the whole. */
  readonly path: SchemaPath;
  /** The address that relative references start from, without a fragment. */
  readonly base: string;
  /** Not where schemas stand: only a reference makes it one. */
  readonly isOnlyReferred: boolean;
}

export interface References {
  /** Every schema that is no plain true or false. */
  readonly places: readonly Place[];
  /** Names that more than one schema has. */
  readonly twice: readonly { readonly name: string; readonly path: SchemaPath }[];
  at(schema: JsonObject): Place | undefined;
  target(ref: string, from: Place): Place | undefined;
}

/** Of a schema without an `$id`; never asked for. */
const NO_ADDRESS = 'schema:///';

/** @param root at most so deep that it can be walked by recursion */
export function referencesOf(root: JsonSchema): References {
  const places: Place[] = [];
  const bySchema = new Map<JsonObject, Place>();
  const named = new Map<string, Place>();
  const twice: { name: string; path: SchemaPath }[] = [];

  const name = (full: string, written: string, place: Place): void => {
    if (named.has(full)) twice.push({ name: written, path: place.path });
    else named.set(full, place);
  };
  const take = (schema: JsonSchema, path: SchemaPath, outer: string, isOnlyReferred: boolean): Place => {
    if (!isObject(schema)) return { schema, path, base: outer, isOnlyReferred };
    const known = bySchema.get(schema);
    if (known) return known;
    const { $id } = schema;
    const address = typeof $id === 'string' ? split($id)[0] : '';
    const own = address === '' ? undefined : absolute(address, outer);
    const base = own ?? outer;
    const place = { schema, path, base, isOnlyReferred };
    places.push(place);
    bySchema.set(schema, place);
    if (own !== undefined) name(own, address, place);
    // Draft 7 writes an anchor as an `$id`.
    const anchor = typeof $id === 'string' ? split($id)[1] : '';
    if (anchor !== '') name(`${base}#${anchor}`, `#${anchor}`, place);
    for (const key of ['$anchor', '$dynamicAnchor']) {
      if (typeof schema[key] === 'string') name(`${base}#${schema[key]}`, `#${schema[key]}`, place);
    }
    for (const [at, inner] of schemasIn(schema)) take(inner, [...path, ...at], base, isOnlyReferred);
    return place;
  };
  const target = (ref: string, from: Place): Place | undefined => {
    const [address, fragment] = split(ref);
    const document = address === '' ? from.base : absolute(address, from.base);
    const resource = document === undefined ? undefined : named.get(document);
    if (!resource || fragment === '') return resource;
    if (!fragment.startsWith('/')) return named.get(`${document}#${unescaped(fragment)}`);
    const keys = keysOf(fragment);
    const found = resource.schema === root || isObject(resource.schema) ? follow(resource.schema, keys) : undefined;
    return found === undefined ? undefined : take(found, [...resource.path, ...keys], resource.base, true);
  };

  const whole = take(root, [], NO_ADDRESS, false);
  named.set(NO_ADDRESS, whole);
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as Place;
    for (const ref of refsOf(place.schema)) target(ref, place);
  }
  return { places, twice, at: (schema) => bySchema.get(schema), target };
}

function refsOf(schema: JsonSchema): string[] {
  if (!isObject(schema)) return [];
  return [schema.$ref, schema.$dynamicRef].filter((ref) => typeof ref === 'string');
}

/** What `#/a/b` stands for, or undefined. Other references are not followed. */
export function resolvePointer(root: JsonSchema, ref: string): JsonSchema | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  return follow(root, keysOf(ref.slice(1)));
}

export function pointerOf(path: SchemaPath): string {
  const keys = path.map((key) =>
    encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$'),
  );
  return ['#', ...keys].join('/');
}

function follow(root: JsonSchema, keys: readonly string[]): JsonSchema | undefined {
  let at: Json | undefined = root;
  for (const key of keys) {
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return typeof at === 'boolean' || isObject(at) ? at : undefined;
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((raw) => unescaped(raw).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unescaped(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** Before and after the first `#`. */
function split(ref: string): [address: string, fragment: string] {
  const at = ref.indexOf('#');
  return at === -1 ? [ref, ''] : [ref.slice(0, at), ref.slice(at + 1)];
}

function absolute(address: string, base: string): string | undefined {
  try {
    return new URL(address, base).href;
  } catch {
    return undefined;
  }
}
