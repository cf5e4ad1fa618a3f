/** Reads the inputs of a pipeline: JSON Schemas under names, as one closed object schema. */
import type { Json, JsonObject } from '../core/json.js';
import { compileSchema } from '../core/schema.js';
import type { PipelineReading } from './draft.js';
import { closedObject, type ReadSchema, readSchema } from './schema-file.js';
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
  const whole = readSchema({ ...value, type: 'map', pairs: [] }, reading.file, reading.places, notes);
  const json = closedObject(Object.fromEntries(properties), required);
  if (whole) reading.schemas.push(locatedInputs(json, whole, pair));
  return json;
}

/** `format: path` is ours: it says that the text names a file. */
function locatedInputs(json: JsonObject, whole: ReadSchema, pair: YamlPair): ReadSchema {
  return {
    ...whole,
    json: withoutPathFormat(json) as JsonObject,
    locate: (path) => nodeAt(pair.value, path[0] === 'properties' ? path.slice(1) : path).at,
  };
}

function withoutPathFormat(part: Json): Json {
  if (Array.isArray(part)) return part.map(withoutPathFormat);
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(([key, value]) => !(key === 'format' && value === 'path'));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutPathFormat(value)]));
}

/** A default that its own schema refuses. The schemas must be free of faults. */
export async function checkDefaults(
  inputs: JsonObject,
  pair: YamlPair | undefined,
  { notes }: PipelineReading,
): Promise<void> {
  for (const [name, schema] of Object.entries((inputs.properties ?? {}) as Record<string, JsonObject>)) {
    if (schema.default === undefined || !pair) continue;
    const validate = await compileSchema(withoutPathFormat(schema) as JsonObject);
    const [complaint] = validate(schema.default);
    if (complaint)
      notes.error(
        'input-default',
        nodeAt(pair.value, [name, 'default']).at,
        `The default of the input "${name}" does not satisfy its schema: ${complaint.message}.`,
      );
  }
}
