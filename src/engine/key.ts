/** A step's key: the hash of all it depends on, part by part, so that two keys can be compared and explained. */
import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Expression, Template } from '../core/expression.js';
import { templateExpressions } from '../core/expression.js';
import { hashJson, isObject, type Json, sha256 } from '../core/json.js';
import type { Models } from '../core/model.js';
import type { Key } from '../core/outcome.js';
import type { LoadedSchema } from '../core/plan.js';
import type { Tool } from '../core/tool.js';
import { hashFile } from './blobs.js';
import { createNeedsHash } from './needs-hash.js';
import type { Task } from './place.js';
import type { Publisher } from './publish.js';
import { type RunRoots, renderIn, scopeFor } from './scope.js';

export interface KeySources {
  readonly roots: RunRoots;
  /** The same roots with folders and ids by name: a key does not change when a run moves. */
  readonly namedRoots: RunRoots;
  readonly models: Models;
  readonly tools: readonly Tool[];
  readonly publisher: Publisher;
  /** Absolute. */
  readonly skillDir: string;
  /** Folders of the skills that expressions name. */
  readonly skillDirs: Readonly<Record<string, string>>;
  readonly runDir: string;
  readonly placeholder: boolean;
}

/** @param config the rendered config of the task's leaf */
export type KeyOf = (task: Task, config: Json) => Promise<Key>;

/** Parts of the config that say how long an agent may go on, not what it does. */
const BOUNDS = new Set(['max_rounds']);

export function createKeyOf(sources: KeySources): KeyOf {
  const needsHash = createNeedsHash(sources.publisher);
  const scriptsHash = memo((dir: string) => hashPath(join(dir, 'scripts')));

  const addProcess = (parts: Record<string, string>, task: Task, config: Json, template: Template) => {
    parts.query = sha256(sources.roots.query);
    parts.inputs = hashJson(sources.namedRoots.inputs);
    parts.scripts = scriptsHash(sources.skillDir);
    for (const [name, dir] of Object.entries(sources.skillDirs)) {
      if (names(template, name)) parts[`scripts of ${name}`] = scriptsHash(dir);
    }
    if (sources.placeholder) parts.placeholder = 'sketch';
    if (isObject(config) && Array.isArray(config.files)) return;
    const files = needsHash(task);
    if (files !== '') parts['files of earlier steps'] = files;
  };

  return async (task, config) => {
    const { step, frame } = task;
    if (step.body.type !== 'leaf') throw new Error('only leaves have keys');
    const { kind, inspection, config: template } = step.body;
    const parts: Record<string, string> = { kind: kind.name };
    const named = isPlaced(template) ? renderIn(template, frame, sources.namedRoots) : config;
    if (isObject(named)) {
      for (const [name, value] of Object.entries(named))
        if (!BOUNDS.has(name)) parts[`config.${name}`] = hashJson(value);
    } else parts.config = hashJson(named);
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
    if (inspection.startsProcess) addProcess(parts, task, config, template);
    return { hash: hashJson(parts), parts };
  };
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

/** Files that the config declares under `files`, relative to the run folder: what the step reads, and no other. */
function declaredFiles(config: Json, sources: KeySources): string[] {
  const files = isObject(config) && Array.isArray(config.files) ? config.files : [];
  return files.filter((file): file is string => typeof file === 'string').map((file) => join(sources.runDir, file));
}

/** Roots whose values are places or ids of this one run, or files by their place. */
const PLACES = new Set(['run', 'skill', 'skills', 'project', 'inputs']);

function isPlaced(template: Template): boolean {
  return templateExpressions(template).some((one) => one.refs.some((ref) => PLACES.has(ref.root)));
}

/** Whether the template reads `skills.<name>`. */
function names(template: Template, name: string): boolean {
  return templateExpressions(template).some((one) =>
    one.refs.some((ref) => ref.root === 'skills' && (ref.path.length === 0 || ref.path[0] === name)),
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

/** What interpreters leave beside scripts changes with every run and means nothing. */
const LEFT_BY_INTERPRETERS = /^(\..*|__pycache__|.*\.pyc|node_modules)$/;

/** Of a file's bytes, or of all files below a folder; 'missing' when there is nothing. */
export function hashPath(path: string): string {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 'missing';
  if (stat.isSymbolicLink()) return sha256(fs.readlinkSync(path));
  if (stat.isFile()) return hashFile(path)?.sha256 ?? 'missing';
  if (!stat.isDirectory()) return 'not a file';
  const names = fs.readdirSync(path).filter((name) => !LEFT_BY_INTERPRETERS.test(name));
  return hashJson(names.sort().map((name) => [name, hashPath(join(path, name))]));
}

function memo<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key) as T;
  };
}
