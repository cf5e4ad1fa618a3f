/** Finds what no value can satisfy in one schema: bounds that cross, fields that are required but not allowed. */
import { isObject, type JsonObject } from './json.js';
import { nearest } from './problems.js';

export interface Impossibility {
  readonly key: string;
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
    return [{ key: least, message: `No value can satisfy this: ${least} is ${low}, and ${most} is ${high}` }];
  });
  return [...crossed, ...forbiddenFields(schema)];
}

function forbiddenFields({
  required,
  properties,
  patternProperties,
  additionalProperties,
}: JsonObject): Impossibility[] {
  if (additionalProperties !== false || patternProperties !== undefined || !Array.isArray(required)) return [];
  const allowed = isObject(properties) ? Object.keys(properties) : [];
  return (required as readonly unknown[]).flatMap((field): Impossibility[] => {
    if (typeof field !== 'string' || allowed.includes(field)) return [];
    const near = nearest(field, allowed);
    return [
      {
        key: 'required',
        message: `No value can satisfy this: the field ${JSON.stringify(field)} is required, but not among the properties`,
        ...(near ? { hint: `Did you mean ${JSON.stringify(near)}?` } : {}),
      },
    ];
  });
}
