/** Takes the files that a schema refers to into one self-contained schema. */
import path from 'node:path';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import type { LoadedSchema } from '../core/plan.js';
import type { Position } from '../core/problems.js';
import { schemaDialect } from '../core/schema-dialect.js';
import { resolvePointer } from '../core/schema-references.js';
import { type DocumentReading, openDocument, type SchemaDocument } from './schema-document.js';

export interface ReadSchema extends LoadedSchema {
  /** False if a part of it could not be read, which was said: what is left of it can be checked, but is not what was meant. */
  readonly isWhole: boolean;
  /** Where a part of `json` was written. */
  locate(path: readonly (string | number)[]): Position;
}

/** Of one schema; each file that is taken in can refer to further ones. */
const MAX_FILES = 100;

/** Every file that is referred to becomes a definition of the first one. */
export function bundleSchema(
  root: SchemaDocument,
  { written, at }: { readonly written: string; readonly at: Position },
  reading: DocumentReading,
): ReadSchema {
  const { notes } = reading;
  const before = notes.problems.length;
  const taken = new Set(isObject(root.json) && isObject(root.json.$defs) ? Object.keys(root.json.$defs) : []);
  const names = new Map<string, string>([[root.file, '']]);
  const documents = new Map<string, SchemaDocument>([[root.file, root]]);
  const definitions = new Map<string, { readonly document: SchemaDocument; json: Json }>();
  const draft = schemaDialect(root.json);
  let isFull = false;

  /** The pointer to another file's schema, which is read when it is first met. */
  const pointerTo = (file: string, ref: string, from: () => Position): string | undefined => {
    const known = names.get(file);
    if (known !== undefined) return known === '' ? '#' : `#/$defs/${known}`;
    if (names.size >= MAX_FILES) {
      if (!isFull)
        notes.error('schema-ref', from(), `The schema takes in more than ${MAX_FILES} files; "${ref}" is left out.`);
      isFull = true;
      return undefined;
    }
    const document = openDocument(file, ref, from, reading);
    if (!document) return undefined;
    const own = schemaDialect(document.json);
    if ('dialect' in own && 'dialect' in draft && own.dialect !== draft.dialect) {
      notes.error(
        'schema-draft',
        from(),
        `"${ref}" is written in draft ${own.dialect}, but it is used from one in ${draft.dialect}.`,
        {
          hint: 'Give both the same "$schema".',
        },
      );
      return undefined;
    }
    const name = freeName(path.basename(file).replace(/(\.schema)?\.(json|ya?ml)$/i, ''), taken);
    names.set(file, name);
    documents.set(file, document);
    const entry = { document, json: {} as Json };
    definitions.set(name, entry);
    entry.json = rewrite(document.json, document, `#/$defs/${name}`, []);
    return `#/$defs/${name}`;
  };

  const rewrite = (part: Json, document: SchemaDocument, base: string, place: readonly (string | number)[]): Json => {
    if (Array.isArray(part)) return part.map((item, index) => rewrite(item, document, base, [...place, index]));
    if (!isObject(part)) return part;
    const isBundledRoot = place.length === 0 && base !== '#';
    const entries = Object.entries(part).flatMap(([key, value]): [string, Json][] => {
      if (isBundledRoot && (key === '$id' || key === '$schema')) return [];
      const inside = [...place, key];
      if (isPlainValue(key, place)) return [[key, value]];
      if (key === '$ref' && typeof value === 'string' && !isNameOfProperty(place)) {
        const pointer = target(value, document, base, inside);
        return pointer === undefined ? [] : [[key, pointer]];
      }
      return [[key, rewrite(value, document, base, inside)]];
    });
    return Object.fromEntries(entries);
  };

  /** Undefined for what cannot be read, which is said: the rest of the schema is judged without it. */
  const target = (
    ref: string,
    document: SchemaDocument,
    base: string,
    place: readonly (string | number)[],
  ): string | undefined => {
    if (ref === '#' || ref.startsWith('#/')) return base === '#' ? ref : `${base}${ref.slice(1)}`;
    if (ref.startsWith('#') || namesIn(document).has(ref)) return ref;
    // The name of a file that is taken in is lost; what stands behind it goes by its place.
    const [address = '', own = ''] = ref.split('#');
    if (address !== '' && isObject(document.json) && nameOf(document.json) === address) {
      return own === '' || own.startsWith('/') ? `${base}${own}` : `#${own}`;
    }
    if (namesIn(document).has(address)) return ref;
    // Where it stands is asked for only if something is wrong: it takes another reading of the file.
    const from = (): Position => document.locate(place);
    if (/^[a-z][a-z0-9+.-]*:/i.test(ref) || ref.startsWith('//')) {
      notes.error(
        'schema-ref',
        from(),
        `The reference "${ref}" is not a file of this project: schemas are never fetched.`,
        { hint: 'Save the schema beside this one.' },
      );
      return undefined;
    }
    const [name = '', fragment = ''] = ref.split('#');
    const file = path.resolve(path.dirname(document.file), decode(name));
    const pointer = pointerTo(file, name, from);
    if (pointer === undefined || fragment === '') return pointer;
    // An anchor keeps its name, wherever its schema is put.
    if (!fragment.startsWith('/')) return `#${fragment}`;
    const target = documents.get(file);
    if (!target || resolvePointer(target.json, `#${fragment}`) !== undefined) return `${pointer}${fragment}`;
    notes.error('schema-ref', from(), `The reference "${ref}" leads nowhere: "${name}" holds no "${fragment}".`);
    return undefined;
  };

  const rewritten = rewrite(root.json, root, '#', []);
  const json = withDefinitions(rewritten as JsonSchema, definitions);
  const locate = (place: readonly (string | number)[]): Position => {
    const entry = place[0] === '$defs' ? definitions.get(String(place[1])) : undefined;
    return entry ? entry.document.locate(place.slice(2)) : root.locate(place);
  };
  return { json, source: written, at, isWhole: notes.problems.length === before, locate };
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

/** `$id`s of the parts of a document, as they are written. The whole's is not among them. */
function namesIn(document: SchemaDocument): ReadonlySet<string> {
  const known = namesByDocument.get(document);
  if (known) return known;
  const names = new Set<string>();
  const open: Json[] = isObject(document.json) ? Object.values(document.json) : [];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (isObject(part) && nameOf(part) !== '') names.add(nameOf(part));
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part) as Json[]) open.push(inner);
  }
  namesByDocument.set(document, names);
  return names;
}

const namesByDocument = new WeakMap<SchemaDocument, ReadonlySet<string>>();

function nameOf({ $id }: JsonObject): string {
  return typeof $id === 'string' ? $id.replace(/#$/, '') : '';
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
