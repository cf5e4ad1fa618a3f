/** The values a caller gives for a plan's inputs: typed, completed with defaults, checked all at once. */
import fs from 'node:fs';
import path from 'node:path';
import { isObject, type Json, type JsonObject, parseJson, sha256 } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { nearest } from '../core/problems.js';
import { compileSchema } from '../core/schema.js';
import { fitsPlainly } from '../core/schema-plain.js';

export interface InputProblem {
  readonly message: string;
  readonly hint?: string;
}

export interface Inputs {
  readonly values: JsonObject;
  /** As they count in keys: a file by its content. */
  readonly named: JsonObject;
  /** Absolute paths of input files. */
  readonly files: readonly string[];
  readonly hashes: Readonly<Record<string, string>>;
  readonly problems: readonly InputProblem[];
}

/** @param given text from the command line, or values from a program
 *  @param callerDir where relative paths of `format: path` inputs start; absolute */
export async function checkInputs(
  plan: Plan,
  given: Readonly<Record<string, Json>>,
  callerDir: string,
): Promise<Inputs> {
  const properties = isObject(plan.inputs.properties) ? plan.inputs.properties : {};
  const problems: InputProblem[] = [];
  const values: Record<string, Json> = {};
  const named: Record<string, Json> = {};
  const hashes: Record<string, string> = {};
  for (const name of Object.keys(given))
    if (!Object.hasOwn(properties, name)) problems.push(unknownInput(name, Object.keys(properties), plan));
  for (const [name, schema] of Object.entries(properties)) {
    const value = inputValue(name, schema, given, problems);
    if (value === undefined) continue;
    values[name] = value;
    named[name] = value;
    if (!isObject(schema) || schema.format !== 'path' || typeof value !== 'string') continue;
    const file = path.resolve(callerDir, value);
    const hash = hashFile(file);
    if (typeof hash !== 'string') {
      problems.push({ message: `the input "${name}" names a file that ${hash.reason}: ${value}` });
      continue;
    }
    values[name] = file;
    named[name] = `«file:${hash}»`;
    hashes[file] = hash;
  }
  if (problems.length === 0 && Object.keys(properties).length > 0)
    problems.push(...(await misfits(plan.inputs, values)));
  return { values, named, files: Object.keys(hashes), hashes, problems };
}

async function misfits(schema: JsonObject, values: JsonObject): Promise<InputProblem[]> {
  if (fitsPlainly(schema, values)) return [];
  const complaints = (await compileSchema(schema))(values);
  return complaints.map((one) => ({
    message: `the input ${one.path === '' ? '' : `"${one.path.slice(1)}" `}does not fit: ${one.message}`,
  }));
}

function unknownInput(name: string, known: readonly string[], plan: Plan): InputProblem {
  const guess = nearest(name, known);
  const hint = guess ? `Did you mean "${guess}"?` : known.length > 0 ? `Inputs: ${known.join(', ')}.` : 'It has none.';
  return { message: `"${plan.name}" has no input "${name}"`, hint };
}

function inputValue(
  name: string,
  schema: Json,
  given: Readonly<Record<string, Json>>,
  problems: InputProblem[],
): Json | undefined {
  if (Object.hasOwn(given, name)) return typed(given[name] ?? null, schema);
  if (isObject(schema) && schema.default !== undefined) return schema.default;
  const about = isObject(schema) && typeof schema.description === 'string' ? schema.description : undefined;
  problems.push({
    message: `the input "${name}" is missing`,
    hint: `Give it: --input ${name}=…${about ? ` (${about})` : ''}`,
  });
  return undefined;
}

/** Text from the command line as its schema's type; left alone where it cannot be read so, for the schema to refuse. */
function typed(value: Json, schema: Json): Json {
  if (typeof value !== 'string' || !isObject(schema)) return value;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes('string') || schema.type === undefined) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function hashFile(file: string): string | { readonly reason: string } {
  try {
    // A pipe would never open, a device never end.
    if (isSpecial(fs.statSync(file))) return { reason: 'is not a regular file' };
    return sha256(fs.readFileSync(file));
  } catch {
    return { reason: 'cannot be read' };
  }
}

function isSpecial(stat: fs.Stats): boolean {
  return !stat.isFile() && !stat.isDirectory();
}
