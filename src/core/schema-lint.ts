/** What a meta-schema cannot say about a schema: references, patterns, formats, depth, misspelled keywords. */
import { isObject, type Json, type JsonObject, type JsonSchema } from './json.js';
import { unsafeRegex } from './pattern.js';
import { nearest } from './problems.js';
import { impossibilities } from './schema-impossible.js';

export interface SchemaFault {
  readonly severity: 'error' | 'warning';
  /** Keys into the schema. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
  /** Set on the one fault that stops the walk. */
  readonly tooDeep?: true;
}

const MAX_DEPTH = 64;

type Holds = 'schema' | 'list' | 'map' | 'schema or list' | 'map of schemas or lists';

/** Keywords that hold schemas. */
const NESTED: Readonly<Record<string, Holds>> = {
  additionalItems: 'schema',
  additionalProperties: 'schema',
  contains: 'schema',
  contentSchema: 'schema',
  else: 'schema',
  if: 'schema',
  not: 'schema',
  propertyNames: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'schema',
  unevaluatedItems: 'schema',
  unevaluatedProperties: 'schema',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  prefixItems: 'list',
  items: 'schema or list',
  $defs: 'map',
  definitions: 'map',
  dependentSchemas: 'map',
  patternProperties: 'map',
  properties: 'map',
  dependencies: 'map of schemas or lists',
};
/** Keywords that apply to the same value as the schema they stand in. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/** Keywords that the other draft has. */
const FOREIGN = {
  'draft-07': new Set([
    'prefixItems',
    'unevaluatedItems',
    'unevaluatedProperties',
    'dependentSchemas',
    'dependentRequired',
    'minContains',
    'maxContains',
    '$dynamicRef',
  ]),
  '2020-12': new Set(['additionalItems']),
} as const satisfies Record<string, ReadonlySet<string>>;

const PLAIN = new Set(
  `$anchor $comment $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary const contentEncoding contentMediaType default
  dependentRequired deprecated description enum examples exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength
  maxProperties maximum minContains minItems minLength minProperties minimum multipleOf nullable pattern readOnly required title type
  uniqueItems writeOnly`.split(/\s+/),
);

const FORMATS = new Set(
  `binary byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 iso-date-time iso-time json-pointer
  json-pointer-uri-fragment password path regex relative-json-pointer time uri uri-reference uri-template url uuid`.split(
    /\s+/,
  ),
);

interface Walk {
  readonly root: JsonSchema;
  readonly faults: SchemaFault[];
  readonly names: ReadonlySet<string>;
  readonly foreign: ReadonlySet<string>;
}

export function lintSchema(schema: JsonSchema, dialect: 'draft-07' | '2020-12'): SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (depthOf(schema, 0) > MAX_DEPTH) {
    return [
      {
        severity: 'error',
        path: [],
        message: `The schema is nested more than ${MAX_DEPTH} levels deep`,
        tooDeep: true,
      },
    ];
  }
  visit(schema, [], { root: schema, faults, names: namesOf(schema), foreign: FOREIGN[dialect] });
  return faults;
}

function visit(schema: Json, path: readonly (string | number)[], walk: Walk): void {
  if (!isObject(schema)) return;
  const report = (key: string, message: string, more: Partial<SchemaFault> = {}): void => {
    walk.faults.push({ severity: 'error', path: [...path, key], message, ...more });
  };
  for (const key of Object.keys(schema)) {
    if (walk.foreign.has(key)) {
      report(key, `The keyword ${JSON.stringify(key)} belongs to the other draft and constrains nothing here`, {
        severity: 'warning',
        hint: 'The draft is named by $schema; without it the schema is 2020-12.',
      });
      continue;
    }
    if (Object.hasOwn(NESTED, key) || PLAIN.has(key) || key.startsWith('x-')) continue;
    const near = nearest(key, [...PLAIN, ...Object.keys(NESTED)]);
    const hint = near ? { hint: `Did you mean ${near}?` } : {};
    report(key, `The keyword ${JSON.stringify(key)} is not known and constrains nothing`, {
      severity: 'warning',
      ...hint,
    });
  }
  for (const found of impossibilities(schema)) walk.faults.push({ ...found, path: [...path, ...found.path] });
  checkRef(schema, report, walk);
  checkPatterns(schema, report);
  const { format } = schema;
  if (typeof format === 'string' && !FORMATS.has(format)) {
    const near = nearest(format, FORMATS);
    const hint = near ? { hint: `Did you mean ${near}?` } : {};
    report('format', `The format ${JSON.stringify(format)} is not known and constrains nothing`, {
      severity: 'warning',
      ...hint,
    });
  }
  for (const [at, inner] of nested(schema)) visit(inner, [...path, ...at], walk);
}

type Report = (key: string, message: string, more?: Partial<SchemaFault>) => void;

function checkPatterns(schema: JsonObject, report: Report): void {
  if (typeof schema.pattern === 'string') {
    const reason = unsafeRegex(schema.pattern);
    if (reason) report('pattern', `The pattern ${JSON.stringify(schema.pattern)} is refused: ${reason}`);
  }
  if (!isObject(schema.patternProperties)) return;
  for (const pattern of Object.keys(schema.patternProperties)) {
    const reason = unsafeRegex(pattern);
    if (reason) report('patternProperties', `The pattern ${JSON.stringify(pattern)} is refused: ${reason}`);
  }
}

function checkRef(schema: JsonObject, report: Report, walk: Walk): void {
  for (const key of ['$ref', '$dynamicRef'] as const) {
    const ref = schema[key];
    if (typeof ref !== 'string') continue;
    if (!ref.startsWith('#')) {
      if (walk.names.has(ref.replace(/#$/, ''))) continue;
      report(key, `The reference ${JSON.stringify(ref)} leads out of the schema`, {
        hint: 'References go to #/$defs/… of the same schema, or to files of this skill or project.',
      });
      continue;
    }
    if (walk.names.has(ref)) continue;
    if (resolvePointer(walk.root, ref) === undefined) {
      report(key, `The reference ${JSON.stringify(ref)} leads nowhere`, missingHint(walk.root, ref));
    } else if (isCircular(schema, walk.root)) {
      report(key, `The reference ${JSON.stringify(ref)} leads back to itself without going deeper into the value`);
    }
  }
}

function missingHint(root: JsonSchema, ref: string): { readonly hint?: string } {
  const known = isObject(root)
    ? [root.$defs, root.definitions].flatMap((defs) => (isObject(defs) ? Object.keys(defs) : []))
    : [];
  const near = nearest(ref.split('/').at(-1) ?? '', known);
  return near ? { hint: `Did you mean ${near}?` } : {};
}

/** Follows what applies to the same value: references, allOf, anyOf, … */
function isCircular(start: JsonObject, root: JsonSchema): boolean {
  const seen = new Set<Json>();
  const follow = (schema: Json | undefined): boolean => {
    if (!isObject(schema)) return false;
    if (schema === start && seen.size > 0) return true;
    if (seen.has(schema)) return false;
    seen.add(schema);
    const target = typeof schema.$ref === 'string' ? resolvePointer(root, schema.$ref) : undefined;
    if (follow(target)) return true;
    return IN_PLACE.some((key) => {
      const inner = schema[key];
      return Array.isArray(inner) ? inner.some(follow) : follow(inner);
    });
  };
  return follow(start);
}

/** What `#/a/b` stands for, or undefined. Other references are not followed. */
export function resolvePointer(root: JsonSchema, ref: string): JsonSchema | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const raw of ref.split('/').slice(1)) {
    const key = unescaped(raw);
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return typeof at === 'boolean' || isObject(at) ? at : undefined;
}

function unescaped(raw: string): string {
  try {
    return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return raw;
  }
}

/** `$id`s, and anchors with their `#`. */
function namesOf(root: JsonSchema): Set<string> {
  const names = new Set<string>();
  const collect = (schema: Json): void => {
    if (!isObject(schema)) return;
    if (typeof schema.$id === 'string') names.add(schema.$id.replace(/#$/, ''));
    for (const key of ['$anchor', '$dynamicAnchor']) if (typeof schema[key] === 'string') names.add(`#${schema[key]}`);
    for (const [, inner] of nested(schema)) collect(inner);
  };
  collect(root);
  return names;
}

/** The schemas directly inside of a schema, with their paths. */
function nested(schema: JsonObject): [path: (string | number)[], schema: Json][] {
  return Object.entries(NESTED).flatMap(([key, holds]): [(string | number)[], Json][] => {
    const value = schema[key];
    if (value === undefined) return [];
    if (Array.isArray(value)) return holds.includes('list') ? value.map((inner, index) => [[key, index], inner]) : [];
    if (!isObject(value)) return [];
    if (!holds.startsWith('map')) return [[[key], value]];
    return Object.entries(value).map(([name, inner]) => [[key, name], inner]);
  });
}

function depthOf(value: Json, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > 2 * MAX_DEPTH + 2) return depth / 2;
  return Math.max(depth / 2, ...Object.values(value).map((inner) => depthOf(inner as Json, depth + 1)));
}
