/** The keywords of JSON Schema under which schemas stand. */
import { isObject, type Json, type JsonObject, type JsonSchema } from './json.js';

type Holds = 'schema' | 'list' | 'map' | 'schema or list' | 'map of schemas or lists';

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
export const NESTING_KEYWORDS: readonly string[] = Object.keys(NESTED);

/** Keywords whose schemas apply to the same value as the schema they stand in. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

/** The schemas directly inside of a schema, with their paths. */
export function schemasIn(schema: JsonObject): [path: (string | number)[], schema: JsonSchema][] {
  return NESTING_KEYWORDS.flatMap((key) => {
    const value = schema[key];
    const holds = NESTED[key] as Holds;
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      return holds.includes('list') ? value.flatMap((inner: Json, index) => one([key, index], inner)) : [];
    }
    if (!holds.startsWith('map')) return one([key], value);
    return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => one([key, name], inner)) : [];
  });
}

function one(path: (string | number)[], inner: Json): [(string | number)[], JsonSchema][] {
  return typeof inner === 'boolean' || isObject(inner) ? [[path, inner]] : [];
}
