/** A JSON Schema of a mapping as lines for a reader: each key with its type, what it means, what stands below it. */
import { isObject, type Json, type JsonObject } from '../core/json.js';

interface Key {
  readonly key: string;
  readonly schema: JsonObject;
}

/** '' for a mapping whose keys are not said. @param isShown leaves keys out */
export function keyLines(schema: JsonObject, isShown: (key: Key) => boolean = () => true): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return keysOf(schema)
    .filter(isShown)
    .map(({ key, schema: own }) => {
      const type = [typeText(own), required.has(key) ? 'required' : ''].filter((word) => word !== '').join(', ');
      const says = typeof own.description === 'string' ? `: ${own.description}` : '';
      return [`- \`${key}\`${type === '' ? '' : ` (${type})`}${says}`, ...nested(own)].join('\n');
    })
    .join('\n');
}

/** An empty mapping where there is none. */
export function propertyOf(value: Json | undefined, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

function keysOf({ properties }: JsonObject): Key[] {
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, schema]) =>
    isObject(schema) ? [{ key, schema }] : [],
  );
}

/** Of a mapping, or of the mappings of a list, one level down. */
function nested(schema: JsonObject): string[] {
  const inner = isObject(schema.items) ? schema.items : schema;
  const lines = keyLines(inner);
  return lines === '' ? [] : lines.split('\n').map((line) => `  ${line}`);
}

/** '' where it says nothing. */
function typeText(schema: JsonObject): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (Array.isArray(schema.anyOf)) return alternatives(schema.anyOf);
  if (Array.isArray(schema.type)) return schema.type.map((type) => nameOf(String(type))).join(' or ');
  if (typeof schema.pattern === 'string' && schema.pattern.includes('ms|s')) return 'duration';
  if (schema.type === 'array') {
    const of = isObject(schema.items) ? typeText(schema.items) : '';
    return of === '' || of === 'mapping' ? 'list' : `list of ${of}`;
  }
  return typeof schema.type === 'string' ? nameOf(schema.type) : '';
}

/** That a value may be an expression instead is said once, for all. */
function alternatives(list: readonly Json[]): string {
  const isExpression = (one: Json) => isObject(one) && one.pattern === '\\$\\{\\{';
  return list
    .filter((one) => isObject(one) && !isExpression(one))
    .map((one) => typeText(one as JsonObject))
    .join(' or ');
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'mapping',
  array: 'list',
  boolean: 'true or false',
};

function nameOf(type: string): string {
  return NAMES[type] ?? type;
}
