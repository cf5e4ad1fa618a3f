/** Reads the schema of a step, inline or from a file. */
import path from 'node:path';
import type { JsonSchema } from '../core/json.js';
import { schemaFaults } from '../core/schema.js';
import type { Notes } from './notes.js';
import { bundleSchema, type ReadSchema } from './schema-bundle.js';
import { type DocumentReading, keyAt, openDocument, type SchemaDocument } from './schema-document.js';
import type { Source } from './text.js';
import { describeNode, toJson, type YamlNode } from './yaml-tree.js';

/** What is known while the schemas of one pipeline are read. */
export interface SchemaReading extends DocumentReading {
  /** Schemas of files, by absolute path: each is read once. */
  readonly schemaFiles: Map<string, ReadSchema>;
}

/** Within a pipeline a misspelled path can be written anew. */
type Within = SchemaReading & { readonly source?: Source };

/** `node` is a path, or the schema itself, which stands in `file`. Problems of a file that cannot be read stand where it is named. */
export function readSchema(node: YamlNode, file: string, reading: Within): ReadSchema | undefined {
  if (node.type === 'broken') return undefined;
  if (node.type === 'scalar' && typeof node.value === 'string') return readSchemaFile(node.value, node, reading);
  if (node.type !== 'map' && !(node.type === 'scalar' && node.value === true)) {
    reading.notes.error('schema', node.at, `A schema must be a mapping or a path, not ${describeNode(node)}.`);
    return undefined;
  }
  const document: SchemaDocument = { file, json: toJson(node) as JsonSchema, locate: (at) => keyAt(node, at) };
  return bundleSchema(document, { written: 'inline', at: node.at }, reading);
}

function readSchemaFile(written: string, node: YamlNode, reading: Within): ReadSchema | undefined {
  const { at } = node;
  const file = path.resolve(reading.places.dir, written);
  const known = reading.schemaFiles.get(file);
  if (known) return { ...known, source: written, at };
  const document = openDocument(file, written, () => at, reading, reading.source && { node, source: reading.source });
  const schema = document && bundleSchema(document, { written, at }, reading);
  if (schema?.isWhole) reading.schemaFiles.set(file, schema);
  return schema;
}

/** What a meta-schema and its reader have against it. */
export async function checkSchema(schema: ReadSchema, notes: Notes): Promise<void> {
  for (const fault of await schemaFaults(schema.json)) {
    const say = fault.severity === 'error' ? notes.error : notes.warn;
    say('schema', schema.locate(fault.path), fault.message, { hint: fault.hint });
  }
}
