/** Reads the inputs of a pipeline: JSON Schemas under names, as one closed object schema. */
import type { Json, JsonObject } from '../core/json.js';
import type { Position } from '../core/problems.js';
import { compileSchema } from '../core/schema.js';
import { fitsPlainly } from '../core/schema-plain.js';
import type { PipelineReading } from './draft.js';
import { bundleSchema } from './schema-bundle.js';
import { describeNode, nodeAt, toJson, type YamlPair } from './yaml-tree.js';

export function readInputs(pair: YamlPair | undefined, reading: PipelineReading): JsonObject {
  const none = closedObject({}, []);
  if (!pair || pair.value.type === 'broken') return none;
  const { notes } = reading;
  const { value } = pair;
  if (value.type !== 'map') {
    notes.error('wrong-type', value.at, `"inputs" must be a mapping of names to schemas, not ${describeNode(value)}.`, {
      hint: 'Write inputs: { since: { type: integer, default: 2021 } }.',
    });
    return none;
  }
  const properties = new Map<string, Json>();
  const required: string[] = [];
  for (const { key, keySpan, value: schema } of value.pairs) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
      notes.error('input-name', keySpan.at, `"${key}" is no name of an input.`, { hint: 'Use letters, digits and _.' });
    if (key === 'query') {
      notes.error('input-name', keySpan.at, 'The input "query" is always there, as a text.', { hint: 'Remove it.' });
      continue;
    }
    if (schema.type !== 'map') {
      if (schema.type !== 'broken') {
        const hint =
          schema.type === 'scalar' && typeof schema.value === 'string'
            ? `Write ${key}: { type: ${schema.value} }.`
            : undefined;
        notes.error('wrong-type', schema.at, `The input "${key}" must be a JSON Schema, not ${describeNode(schema)}.`, {
          hint,
        });
      }
      continue;
    }
    properties.set(key, toJson(schema));
    if (!schema.pairs.some((each) => each.key === 'default')) required.push(key);
  }
  const locate = (path: readonly (string | number)[]): Position =>
    nodeAt(value, path[0] === 'properties' ? path.slice(1) : path).at;
  const written = closedObject(Object.fromEntries(properties), required);
  const schema = bundleSchema(
    { file: reading.file, json: written, locate },
    { written: 'inline', at: value.at },
    reading,
  );
  reading.schemas.push(schema);
  return schema.json as JsonObject;
}

/** A default that its own schema refuses. The schemas must be free of faults. */
export async function checkDefaults(
  inputs: JsonObject,
  pair: YamlPair | undefined,
  { notes }: PipelineReading,
): Promise<void> {
  for (const [name, schema] of Object.entries((inputs.properties ?? {}) as Record<string, JsonObject>)) {
    if (schema.default === undefined || !pair || fitsPlainly(schema, schema.default)) continue;
    const validate = await compileSchema({ ...inputs, required: [] });
    const [complaint] = validate({ [name]: schema.default });
    if (complaint)
      notes.error(
        'input-default',
        nodeAt(pair.value, [name, 'default']).at,
        `The default of the input "${name}" does not satisfy its schema: ${complaint.message}.`,
      );
  }
}

/** For inputs, which are written as the properties of an object. */
export function closedObject(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}
