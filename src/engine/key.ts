/** A step's key: the hash of all it depends on, part by part, so that two keys can be compared and explained. */
import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Expression, Template } from '../core/expression.js';
import { templateExpressions } from '../core/expression.js';
import { hashJson, isObject, type Json, sha256 } from '../core/json.js';
import type { Key, LoadedSchema, Models, Tool } from '../core/types.js';
import type { Task } from './interpret.js';
import type { Publisher } from './publish.js';
import { type RunRoots, renderIn, scopeFor } from './scope.js';

export interface KeySources {
  readonly roots: RunRoots;
  /** The same roots with folders and ids by name: a key does not change when a run moves. */
  readonly namedRoots: RunRoots;
  readonly models: Models;
  readonly tools: readonly Tool[];
  readonly publisher: Publisher;
  readonly skillDir: string;
  readonly runDir: string;
  readonly placeholder: boolean;
  /** One hash over the skill's scripts/. */
  scriptsHash(): string;
}

/** Roots whose values are places or ids of this one run. */
const PLACES = new Set(['run', 'skill', 'skills', 'project']);

/** @param config the rendered config of the task's leaf */
export async function keyOf(task: Task, config: Json, sources: KeySources): Promise<Key> {
  const { step, frame } = task;
  if (step.body.type !== 'leaf') throw new Error('only leaves have keys');
  const { kind, inspection } = step.body;
  const parts: Record<string, string> = { kind: kind.name };
  const named = isPlaced(step.body.config) ? renderIn(step.body.config, frame, sources.namedRoots) : config;
  if (isObject(named)) for (const [name, value] of Object.entries(named)) parts[`config.${name}`] = hashJson(value);
  else parts.config = hashJson(named);
  if (step.output) parts.output = schemaHash(step.output);
  for (const [index, { that }] of step.assert.entries()) {
    parts[`assert.${index + 1}`] = hashJson([that.source, valuesOf(that, task, sources)]);
  }
  if (step.artifacts.length > 0) parts.artifacts = hashJson(step.artifacts);
  for (const name of inspection.tools) parts[`tool.${name}`] = toolHash(name, sources.tools);
  await addModels(parts, config, inspection.models, sources.models);
  for (const file of [...inspection.files, ...declaredFiles(config, sources)]) {
    parts[`file.${relative(sources.skillDir, file)}`] = hashPath(file);
  }
  if (inspection.startsProcess) addProcess(parts, task, sources);
  return { hash: hashJson(parts), parts };
}

function addProcess(parts: Record<string, string>, task: Task, sources: KeySources): void {
  parts.query = sha256(sources.roots.query);
  parts.inputs = hashJson(sources.namedRoots.inputs);
  parts.scripts = sources.scriptsHash();
  if (sources.placeholder) parts.placeholder = 'sketch';
  const prefix = task.place.path === '' ? '' : `${task.place.path}/`;
  for (const id of task.step.after) {
    const hash = sources.publisher.publishedHash(`${prefix}${id}`);
    if (hash !== '') parts[`files of ${id}`] = hash;
  }
}

async function addModels(
  parts: Record<string, string>,
  config: Json,
  names: readonly string[],
  models: Models,
): Promise<void> {
  const written = isObject(config) && typeof config.model === 'string' ? [config.model] : names;
  for (const name of names.length > 0 ? written : []) {
    const model = await models.pick(name);
    parts.model = hashJson([model.label, model.host, model.parameters]);
  }
}

/** Files that the config declares under `files`, relative to the run folder. */
function declaredFiles(config: Json, sources: KeySources): string[] {
  const files = isObject(config) && Array.isArray(config.files) ? config.files : [];
  return files.filter((file): file is string => typeof file === 'string').map((file) => join(sources.runDir, file));
}

function isPlaced(template: Template): boolean {
  return templateExpressions(template).some((one) =>
    one.refs.some((ref) => PLACES.has(ref.root) || ref.root === 'inputs'),
  );
}

/** The values of the paths that an assert reads, but for `output` itself. */
function valuesOf(expression: Expression, task: Task, sources: KeySources): Json {
  const scope = scopeFor(expression, task.frame, sources.namedRoots);
  return expression.refs
    .filter((ref) => ref.root !== 'output')
    .map((ref) => {
      let value: Json | undefined = scope[ref.root];
      for (const name of ref.path) {
        if (Array.isArray(value) && typeof name === 'number') value = value[name];
        else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      }
      return value ?? null;
    });
}

const schemaHashes = new WeakMap<LoadedSchema, string>();

function schemaHash(schema: LoadedSchema): string {
  const known = schemaHashes.get(schema) ?? hashJson(schema.json);
  schemaHashes.set(schema, known);
  return known;
}

function toolHash(grant: string, tools: readonly Tool[]): string {
  const tool = tools.find((one) => one.spec.name === grant || grant.startsWith(`${one.spec.name}(`));
  return tool ? hashJson([grant, { ...tool.spec }]) : sha256(grant);
}

/** Of a file's bytes, or of all files below a folder; 'missing' when there is nothing. */
export function hashPath(path: string): string {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 'missing';
  if (stat.isSymbolicLink()) return sha256(fs.readlinkSync(path));
  if (stat.isFile()) return sha256(fs.readFileSync(path));
  if (!stat.isDirectory()) return 'not a file';
  const names = fs.readdirSync(path).sort();
  return hashJson(names.map((name) => [name, hashPath(join(path, name))]));
}
