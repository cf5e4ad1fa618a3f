/** Opens the file of a schema: its JSON, and where each part of it was written. */
import path from 'node:path';
import { isObject, type Json, type JsonSchema } from '../core/json.js';
import { nearest, type Position } from '../core/problems.js';
import { certainly } from './certain.js';
import { parsePlainJson } from './json-text.js';
import { besideOf, nearbyFiles } from './nearby.js';
import type { Notes } from './notes.js';
import { readText, type Source } from './text.js';
import { editOf } from './value-edit.js';
import { parseYaml } from './yaml-text.js';
import { nodeAt, toJson, type YamlNode } from './yaml-tree.js';

/** Where schemas may lie. Absolute. */
export interface SchemaPlaces {
  /** Relative paths start here. */
  readonly dir: string;
  /** Folders that no `$ref` may leave. */
  readonly roots: readonly string[];
}

/** Where documents are looked for, and what is wrong with them is said. */
export interface DocumentReading {
  readonly places: SchemaPlaces;
  readonly notes: Notes;
}

export interface SchemaDocument {
  /** Absolute; references start here. */
  readonly file: string;
  readonly json: JsonSchema;
  locate(path: readonly (string | number)[]): Position;
}

/**
 * Problems of a file that cannot be read stand where it is named.
 * @param name where it is named, if it can be written anew
 */
export function openDocument(
  file: string,
  written: string,
  at: () => Position,
  { places, notes }: DocumentReading,
  name?: { readonly node: YamlNode; readonly source: Source },
): SchemaDocument | undefined {
  const read = readText(file, places.roots);
  if (read.type === 'fault') {
    const files = read.reason === 'missing' ? nearbyFiles(path.dirname(file)) : [];
    const near = nearest(path.basename(written), files);
    const meant = certainly(path.basename(written), files);
    const hint = near ? `Did you mean "${path.join(path.dirname(written), near)}"?` : undefined;
    const reason =
      read.reason === 'outside'
        ? 'It lies outside of the skill, its sibling skills and the schemas folder of the project.'
        : read.message;
    notes.error('schema-file', at(), `The schema "${written}" cannot be read. ${reason}`, {
      hint,
      edit: meant && name ? editOf(name.node, besideOf(written, meant), name) : undefined,
    });
    return undefined;
  }
  const { source } = read;
  const isYaml = /\.ya?ml$/i.test(file);
  const plain = isYaml ? undefined : parsePlainJson(source.text);
  if (typeof plain === 'boolean' || isObject(plain)) {
    let tree: YamlNode | undefined;
    const locate = (place: readonly (string | number)[]): Position => {
      tree ??= parseYaml(source).root;
      return tree ? keyAt(tree, place) : source.position(0);
    };
    return { file, json: plain, locate };
  }
  const tree = parseYaml(source);
  const locate = (place: readonly (string | number)[]): Position =>
    tree.root ? keyAt(tree.root, place) : source.position(0);
  const tooDeep = tree.problems.find((problem) => problem.rule === 'yaml-depth');
  if (tooDeep) {
    notes.error('schema-json', tooDeep.at, `The schema "${written}" is nested too deeply.`);
    return undefined;
  }
  const json = isYaml ? yamlDocument(tree, notes) : jsonDocument(source, tree.problems[0]?.at, written, notes);
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
export function keyAt(root: YamlNode, place: readonly (string | number)[]): Position {
  const parent = nodeAt(root, place.slice(0, -1));
  const last = place.at(-1);
  const pair = parent.type === 'map' ? parent.pairs.find(({ key }) => key === last) : undefined;
  return pair?.keySpan.at ?? nodeAt(root, place).at;
}
