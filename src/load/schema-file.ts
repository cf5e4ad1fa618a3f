/** Reads a schema, inline or from files, into one self-contained schema. */
import path from 'node:path';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import { nearest, type Position } from '../core/problems.js';
import { schemaDialect, schemaFaults } from '../core/schema.js';
import type { LoadedSchema } from '../core/types.js';
import { nearbyFiles } from './nearby.js';
import type { Notes } from './notes.js';
import { readText, type Source } from './text.js';
import { parseYaml } from './yaml-text.js';
import { describeNode, nodeAt, toJson, type YamlNode } from './yaml-tree.js';

/** Where schemas may lie. Absolute. */
export interface SchemaPlaces {
  /** Relative paths start here. */
  readonly dir: string;
  /** Folders that no `$ref` may leave. */
  readonly roots: readonly string[];
}

export interface ReadSchema extends LoadedSchema {
  /** Where a part of `json` was written. */
  locate(path: readonly (string | number)[]): Position;
}

interface Document {
  readonly file: string;
  readonly json: JsonSchema;
  locate(path: readonly (string | number)[]): Position;
}

/** `node` is a path, or the schema itself. Problems of a file that cannot be read stand where it is named. */
export function readSchema(node: YamlNode, file: string, places: SchemaPlaces, notes: Notes): ReadSchema | undefined {
  if (node.type === 'broken') return undefined;
  const before = notes.problems.length;
  const schema = readWhole(node, file, places, notes);
  return notes.problems.length === before ? schema : undefined;
}

function readWhole(node: YamlNode, file: string, places: SchemaPlaces, notes: Notes): ReadSchema | undefined {
  if (node.type === 'scalar' && typeof node.value === 'string') {
    const document = openDocument(path.resolve(places.dir, node.value), node.value, node.at, places, notes);
    return document && bundled(document, node.value, node.at, places, notes);
  }
  if (node.type !== 'map' && !(node.type === 'scalar' && node.value === true)) {
    notes.error('schema', node.at, `A schema must be a mapping or a path, not ${describeNode(node)}.`);
    return undefined;
  }
  const document: Document = { file, json: toJson(node) as JsonSchema, locate: (at) => keyAt(node, at) };
  return bundled(document, 'inline', node.at, places, notes);
}

/** What a meta-schema and its reader have against it. */
export async function checkSchema(schema: ReadSchema, notes: Notes): Promise<void> {
  for (const fault of await schemaFaults(schema.json)) {
    const say = fault.severity === 'error' ? notes.error : notes.warn;
    say('schema', schema.locate(fault.path), fault.message, { hint: fault.hint });
  }
}

function openDocument(
  file: string,
  written: string,
  at: Position,
  places: SchemaPlaces,
  notes: Notes,
): Document | undefined {
  const read = readText(file, places.roots);
  if (read.type === 'fault') {
    const near =
      read.reason === 'missing' ? nearest(path.basename(written), nearbyFiles(path.dirname(file))) : undefined;
    const hint = near ? `Did you mean "${path.join(path.dirname(written), near)}"?` : undefined;
    const reason =
      read.reason === 'outside'
        ? 'It lies outside of the skill, its sibling skills and the schemas folder of the project.'
        : read.message;
    notes.error('schema-file', at, `The schema "${written}" cannot be read. ${reason}`, { hint });
    return undefined;
  }
  const { source } = read;
  const tree = parseYaml(source);
  const locate = (place: readonly (string | number)[]): Position =>
    tree.root ? keyAt(tree.root, place) : source.position(0);
  const tooDeep = tree.problems.find((problem) => problem.rule === 'yaml-depth');
  if (tooDeep) {
    notes.error('schema-json', tooDeep.at, `The schema "${written}" is nested too deeply.`);
    return undefined;
  }
  const json = /\.ya?ml$/i.test(file)
    ? yamlDocument(tree, notes)
    : jsonDocument(source, tree.problems[0]?.at, written, notes);
  if (json === undefined) return undefined;
  if (typeof json !== 'boolean' && !isObject(json)) {
    notes.error(
      'schema',
      source.position(0),
      `A schema must be a mapping, not ${json === null ? 'null' : Array.isArray(json) ? 'a list' : JSON.stringify(json)}.`,
    );
    return undefined;
  }
  for (const problem of tree.problems) if (problem.rule === 'yaml-duplicate-key') notes.problems.push(problem);
  return { file, json, locate };
}

function yamlDocument(tree: ReturnType<typeof parseYaml>, notes: Notes): Json | undefined {
  if (tree.problems.length === 0) return tree.root ? toJson(tree.root) : null;
  notes.problems.push(...tree.problems);
  return undefined;
}

function jsonDocument(source: Source, near: Position | undefined, written: string, notes: Notes): Json | undefined {
  try {
    return JSON.parse(source.text) as Json;
  } catch (error) {
    const message = (error as Error).message;
    const offset = /at position (\d+)/.exec(message)?.[1];
    const at = offset
      ? source.position(Number(offset))
      : /end of JSON/.test(message)
        ? source.position(source.text.length)
        : (near ?? source.position(0));
    notes.error(
      'schema-json',
      at,
      `The schema "${written}" is not valid JSON: ${message.replace(/ \(line.*\)$/, '')}.`,
    );
    return undefined;
  }
}

/** The place of the key, rather than of its value, where there is one. */
function keyAt(root: YamlNode, place: readonly (string | number)[]): Position {
  const parent = nodeAt(root, place.slice(0, -1));
  const last = place.at(-1);
  const pair = parent.type === 'map' ? parent.pairs.find(({ key }) => key === last) : undefined;
  return pair?.keySpan.at ?? nodeAt(root, place).at;
}

/** Every file that is referred to becomes a definition of the first one. */
function bundled(root: Document, written: string, at: Position, places: SchemaPlaces, notes: Notes): ReadSchema {
  const taken = new Set(isObject(root.json) && isObject(root.json.$defs) ? Object.keys(root.json.$defs) : []);
  const names = new Map<string, string>([[root.file, '']]);
  const definitions = new Map<string, { readonly document: Document; json: Json }>();
  const draft = schemaDialect(root.json);

  /** The pointer to another file's schema, which is read when it is first met. */
  const pointerTo = (file: string, ref: string, from: Position): string | undefined => {
    const known = names.get(file);
    if (known !== undefined) return known === '' ? '#' : `#/$defs/${known}`;
    const document = openDocument(file, ref, from, places, notes);
    if (!document) return undefined;
    const own = schemaDialect(document.json);
    if ('dialect' in own && 'dialect' in draft && own.dialect !== draft.dialect) {
      notes.error(
        'schema-draft',
        from,
        `"${ref}" is written in draft ${own.dialect}, but it is used from one in ${draft.dialect}.`,
        {
          hint: 'Give both the same "$schema".',
        },
      );
      return undefined;
    }
    const name = freeName(path.basename(file).replace(/(\.schema)?\.(json|ya?ml)$/i, ''), taken);
    names.set(file, name);
    const entry = { document, json: {} as Json };
    definitions.set(name, entry);
    entry.json = rewrite(document.json, document, `#/$defs/${name}`, []);
    return `#/$defs/${name}`;
  };

  const rewrite = (part: Json, document: Document, base: string, place: readonly (string | number)[]): Json => {
    if (Array.isArray(part)) return part.map((item, index) => rewrite(item, document, base, [...place, index]));
    if (!isObject(part)) return part;
    const isBundledRoot = place.length === 0 && base !== '#';
    const entries = Object.entries(part).flatMap(([key, value]): [string, Json][] => {
      if (isBundledRoot && (key === '$id' || key === '$schema')) return [];
      const inside = [...place, key];
      if (isPlainValue(key, place)) return [[key, value]];
      if (key === '$ref' && typeof value === 'string' && !isNameOfProperty(place))
        return [[key, target(value, document, base, inside)]];
      return [[key, rewrite(value, document, base, inside)]];
    });
    return Object.fromEntries(entries);
  };

  const target = (ref: string, document: Document, base: string, place: readonly (string | number)[]): string => {
    if (ref === '#' || ref.startsWith('#/')) return base === '#' ? ref : `${base}${ref.slice(1)}`;
    if (ref.startsWith('#') || isOwnName(ref, document.json)) return ref;
    const from = document.locate(place);
    if (/^[a-z][a-z0-9+.-]*:/i.test(ref) || ref.startsWith('//')) {
      notes.error(
        'schema-ref',
        from,
        `The reference "${ref}" is not a file of this project: schemas are never fetched.`,
        { hint: 'Save the schema beside this one.' },
      );
      return '#';
    }
    const [name = '', fragment = ''] = ref.split('#');
    const pointer = pointerTo(path.resolve(path.dirname(document.file), decode(name)), name, from);
    return pointer === undefined ? '#' : `${pointer}${fragment}`;
  };

  const rewritten = rewrite(root.json, root, '#', []);
  const json = withDefinitions(rewritten as JsonSchema, definitions);
  const locate = (place: readonly (string | number)[]): Position => {
    const entry = place[0] === '$defs' ? definitions.get(String(place[1])) : undefined;
    return entry ? entry.document.locate(place.slice(2)) : root.locate(place);
  };
  return { json, source: written, at, locate };
}

function withDefinitions(json: JsonSchema, definitions: ReadonlyMap<string, { readonly json: Json }>): JsonSchema {
  if (definitions.size === 0 || !isObject(json)) return json;
  const own = isObject(json.$defs) ? json.$defs : {};
  const added = Object.fromEntries([...definitions].map(([name, entry]) => [name, entry.json]));
  return { ...json, $defs: { ...own, ...added } };
}

/** Values that are data, not schemas. */
function isPlainValue(key: string, place: readonly (string | number)[]): boolean {
  return ['const', 'enum', 'default', 'examples'].includes(key) && !isNameOfProperty(place);
}

/** Whether the keys at this place are names that the author chose. */
function isNameOfProperty(place: readonly (string | number)[]): boolean {
  const last = place.at(-1);
  const isMapOfSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].includes(
    String(last),
  );
  return isMapOfSchemas && typeof last === 'string' && !isNameOfProperty(place.slice(0, -1));
}

function isOwnName(ref: string, json: JsonSchema): boolean {
  return isObject(json) && JSON.stringify(json).includes(`"$id":${JSON.stringify(ref)}`);
}

function freeName(wanted: string, taken: Set<string>): string {
  const plain = wanted.replace(/[^A-Za-z0-9_]+/g, '_') || 'schema';
  let name = plain;
  for (let n = 2; taken.has(name); n++) name = `${plain}_${n}`;
  taken.add(name);
  return name;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** For inputs, which are written as the properties of an object. */
export function closedObject(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}
