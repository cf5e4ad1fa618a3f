/** Checks the value under a kind's key against the kind's schema, over the part of JSON Schema that kinds use. */
import { isObject, type Json, type JsonObject } from '../core/json.js';
import { nearest } from '../core/problems.js';
import { booleanMeant, certainly, numberMeant } from './certain.js';
import { type Aliases, capital, type Reading, readFields } from './fields.js';
import { takeNotes } from './notes.js';
import { editOf } from './value-edit.js';
import { shown } from './values.js';
import type { YamlList, YamlMap, YamlNode, YamlScalar } from './yaml-tree.js';

export interface KindSchema {
  /** For messages: `"agent"`. */
  readonly what: string;
  readonly schema: JsonObject;
  readonly aliases?: Aliases | undefined;
  /** Its words are the author's own: a wrong one may mean something. */
  readonly isOwn?: true;
}

type Type = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

const WORDS: Readonly<Record<Type, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** A value that is one `${{ }}` may become anything; mixed text is text. */
export function checkConfig(node: YamlNode, kind: KindSchema, reading: Reading): void {
  check(node, kind.schema, kind.what, {
    ...reading,
    root: kind.schema,
    aliases: kind.aliases,
    words: kind.isOwn ? 'value' : 'choice',
  });
}

interface Walk extends Reading {
  readonly root: JsonObject;
  readonly words: 'choice' | 'value';
  /** Of the outermost mapping only. */
  readonly aliases?: Aliases | undefined;
}

function check(node: YamlNode, schema: Json | undefined, what: string, walk: Walk): void {
  if (node.type === 'broken' || !isObject(schema) || isExpression(node)) return;
  if (typeof schema.$ref === 'string') {
    check(node, definition(walk.root, schema.$ref), what, walk);
    return;
  }
  const branches = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(branches)) {
    checkBranches(node, branches as readonly Json[], what, walk);
    return;
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(node, type))) {
    const hint = typeof schema.description === 'string' ? schema.description : undefined;
    walk.notes.error(
      'wrong-type',
      node.at,
      `${capital(what)} must be ${types.map((type) => WORDS[type]).join(' or ')}, not ${shown(node)}.`,
      { hint, edit: editOf(node, scalarMeant(node, types), walk) },
    );
    return;
  }
  if (node.type === 'map') checkMap(node, schema, what, walk);
  else if (node.type === 'list') checkList(node, schema, what, walk);
  else checkScalar(node, schema, what, walk);
}

function checkBranches(node: YamlNode, branches: readonly Json[], what: string, walk: Walk): void {
  const resolved = branches.map((branch) =>
    isObject(branch) && typeof branch.$ref === 'string' ? definition(walk.root, branch.$ref) : branch,
  );
  const fitting = resolved.filter(
    (branch) =>
      isObject(branch) && (typesOf(branch).length === 0 || typesOf(branch).some((type) => isOfType(node, type))),
  );
  if (fitting.length === 0) {
    const types = [...new Set(resolved.flatMap((branch) => (isObject(branch) ? typesOf(branch) : [])))];
    walk.notes.error(
      'wrong-type',
      node.at,
      `${capital(what)} must be ${types.map((type) => WORDS[type]).join(' or ')}, not ${shown(node)}.`,
    );
    return;
  }
  const attempts = fitting.map((branch) => {
    const notes = takeNotes();
    check(node, branch, what, { ...walk, notes });
    return notes.problems;
  });
  const best = attempts.reduce((least, problems) => (problems.length < least.length ? problems : least));
  walk.notes.problems.push(...best);
}

function checkMap(node: YamlMap, schema: JsonObject, what: string, walk: Walk): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const others = schema.additionalProperties;
  const inner: Walk = { source: walk.source, notes: walk.notes, root: walk.root, words: walk.words };
  if (others === false) {
    const known = { what, keys: Object.keys(properties), ...(walk.aliases ? { aliases: walk.aliases } : {}) };
    const fields = readFields(node, known, walk);
    for (const [key, pair] of fields ?? []) check(pair.value, properties[key], `"${key}"`, inner);
    checkRequired(node, schema, what, (key) => fields?.has(key) ?? false, walk);
    return;
  }
  for (const pair of node.pairs) {
    const own = Object.hasOwn(properties, pair.key) ? properties[pair.key] : others;
    check(pair.value, own, `"${pair.key}"`, inner);
  }
  checkRequired(node, schema, what, (key) => node.pairs.some((pair) => pair.key === key), walk);
}

function checkRequired(
  node: YamlMap,
  schema: JsonObject,
  what: string,
  has: (key: string) => boolean,
  { notes }: Walk,
): void {
  if (!Array.isArray(schema.required)) return;
  for (const key of schema.required as readonly string[]) {
    if (!has(key)) notes.error('missing-key', node.at, `${capital(what)} needs "${key}".`);
  }
}

function checkList(node: YamlList, schema: JsonObject, what: string, walk: Walk): void {
  const inner: Walk = { source: walk.source, notes: walk.notes, root: walk.root, words: walk.words };
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  if (node.items.length < least)
    walk.notes.error(
      'out-of-bounds',
      node.at,
      `${capital(what)} must have at least ${least} item${least === 1 ? '' : 's'}.`,
    );
  node.items.forEach((item, index) => {
    check(item, schema.items, `item ${index + 1} of ${what}`, inner);
  });
}

function checkScalar(node: YamlScalar, schema: JsonObject, what: string, walk: Walk): void {
  const { value, at } = node;
  const hasExpression = typeof value === 'string' && value.includes('${{');
  const allowed = schema.const !== undefined ? [schema.const] : (schema.enum as readonly Json[] | undefined);
  if (allowed && !hasExpression && !allowed.includes(value)) {
    const meant = nearest(String(value), allowed.map(String));
    walk.notes.error(
      'not-allowed',
      at,
      `${capital(what)} must be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}, not ${shown(node)}.`,
      {
        hint: meant ? `Did you mean "${meant}"?` : undefined,
        edit: editOf(node, choiceMeant(value, allowed, walk.words), walk),
      },
    );
    return;
  }
  if (typeof value === 'string' && !hasExpression) {
    if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value)) {
      walk.notes.error('not-allowed', at, `${capital(what)} must match ${schema.pattern}, not be ${shown(node)}.`);
    }
    if (typeof schema.minLength === 'number' && value.length < schema.minLength)
      walk.notes.error('out-of-bounds', at, `${capital(what)} must not be empty.`);
  }
  if (typeof value !== 'number') return;
  if (typeof schema.minimum === 'number' && value < schema.minimum)
    walk.notes.error('out-of-bounds', at, `${capital(what)} must be at least ${schema.minimum}, not ${value}.`);
  if (typeof schema.maximum === 'number' && value > schema.maximum)
    walk.notes.error('out-of-bounds', at, `${capital(what)} must be at most ${schema.maximum}, not ${value}.`);
}

/** Of two values that are written alike, such as 1 and "1", neither is certain. */
function choiceMeant(
  value: YamlScalar['value'],
  allowed: readonly Json[],
  words: Walk['words'],
): string | number | boolean | undefined {
  const word = String(value).trim();
  const texts = allowed.map(String);
  const meant = texts.includes(word) ? word : certainly(word, texts, words);
  const [choice, other] = allowed.filter((each) => String(each) === meant);
  const isPlain = typeof choice === 'string' || typeof choice === 'number' || typeof choice === 'boolean';
  return isPlain && other === undefined ? choice : undefined;
}

/** A number or a boolean that was written as something else. */
function scalarMeant(node: YamlNode, types: readonly Type[]): number | boolean | undefined {
  const [type, other] = types;
  if (node.type !== 'scalar' || typeof node.value !== 'string' || other !== undefined) return undefined;
  if (type === 'boolean') return booleanMeant(node.value);
  return type === 'number' || type === 'integer' ? numberMeant(node.value) : undefined;
}

function isExpression(node: YamlNode): boolean {
  return (
    node.type === 'scalar' &&
    typeof node.value === 'string' &&
    /^\s*\$\{\{[\s\S]*\}\}\s*$/.test(node.value) &&
    node.value.indexOf('${{', 3) === -1
  );
}

function typesOf(schema: JsonObject): Type[] {
  if (typeof schema.type === 'string') return [schema.type as Type];
  return Array.isArray(schema.type) ? [...(schema.type as readonly Type[])] : [];
}

function isOfType(node: YamlNode, type: Type): boolean {
  if (node.type === 'map') return type === 'object';
  if (node.type === 'list') return type === 'array';
  if (node.type === 'broken') return true;
  if (node.value === null) return type === 'null';
  if (typeof node.value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(node.value));
  return typeof node.value === type;
}

function definition(root: JsonObject, ref: string): Json | undefined {
  let here: Json | undefined = root;
  for (const key of ref.split('/').slice(1)) here = isObject(here) ? here[key] : undefined;
  return here;
}

/** What a person could write instead of a kind's shorthand that is not there. */
export function shorthandHint(kind: string, node: YamlNode): string {
  if (kind === 'shell')
    return node.type === 'list' ? 'Write shell: { command: [program, argument] }.' : 'Write shell: { run: … }.';
  if (kind === 'agent') return 'Write agent: { instructions: …, prompt: … }.';
  if (kind === 'end') return 'Write end: { outcome: …, status: done, refused or failed }.';
  if (kind === 'gate') return 'Write gate: { ask: … }.';
  return `Write ${kind}: { a_name: … }.`;
}
