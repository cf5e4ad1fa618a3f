/** A step's key: the hash of all it depends on, part by part, so that two keys can be compared and explained. */
import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Expression, Template } from '../core/expression.js';
import { templateExpressions } from '../core/expression.js';
import { hashJson, isObject, type Json, sha256 } from '../core/json.js';
import type { Models } from '../core/model.js';
import type { Key } from '../core/outcome.js';
import type { Foreach, LoadedSchema, Step } from '../core/plan.js';
import { FILES_OF_EARLIER_STEPS } from '../core/reasons.js';
import type { Tool } from '../core/tool.js';
import { hashFile } from './blobs.js';
import { createNeedsHash } from './needs-hash.js';
import type { LeafTask, Place, Task } from './place.js';
import type { Publisher } from './publish.js';
import type { Running } from './running.js';
import { renderIn, scopeFor } from './scope.js';

export interface KeySources {
  readonly models: Models;
  readonly tools: readonly Tool[];
  readonly publisher: Publisher;
  readonly placeholder: boolean;
}

/** @param config the rendered config of the task's leaf */
export type KeyOf = (task: LeafTask, config: Json, running: Running) => Promise<Key>;

export function createKeyOf(sources: KeySources): KeyOf {
  const needsHash = createNeedsHash(sources.publisher);
  const scriptsHash = memo((dir: string) => hashPath(join(dir, 'scripts')));

  const addProcess = (parts: Parts, task: Task, config: Json, template: Template, running: Running) => {
    const { namedRoots, plan } = running;
    parts.add('query', namedRoots.query);
    parts.add('inputs', namedRoots.inputs);
    parts.addHash('scripts', scriptsHash(plan.skill.dir));
    for (const [name, dir] of Object.entries(plan.skillDirs)) {
      if (names(template, name)) parts.addHash(`scripts of ${name}`, scriptsHash(dir));
    }
    if (sources.placeholder) parts.addHash('placeholder', 'sketch');
    if (!isObject(config) || !Array.isArray(config.files)) addPublished(parts, task);
  };
  const addPublished = (parts: Parts, task: Task) => {
    const files = needsHash(task);
    if (files !== '') parts.addHash(FILES_OF_EARLIER_STEPS, files);
  };

  return async (task, config, running) => {
    const { step, frame } = task;
    const { kind, inspection, config: template } = task.body;
    const parts = collectParts();
    parts.addHash('kind', kind.name);
    const named = isPlaced(template, running) ? renderIn(template, frame, running.namedRoots) : config;
    if (isObject(named)) {
      for (const [name, value] of Object.entries(named)) {
        if (!kind.unkeyed?.includes(name)) parts.add(`config.${name}`, value);
      }
    } else parts.add('config', named);
    if (step.output) parts.add('output', step.output.json, schemaHash(step.output));
    for (const [index, { that }] of step.assert.entries()) {
      parts.add(`assert.${index + 1}`, [that.source, valuesOf(that, task, running)]);
    }
    if (step.artifacts.length > 0) parts.add('artifacts', [...step.artifacts]);
    for (const name of inspection.tools) parts.addHash(`tool.${name}`, toolHash(name, sources.tools));
    await addModels(parts, config, inspection.models, sources.models);
    for (const file of [...inspection.files, ...declaredFiles(config, running)]) {
      parts.addHash(`file.${relative(running.plan.skill.dir, file)}`, hashPath(file));
    }
    if (inspection.startsProcess) addProcess(parts, task, config, template, running);
    if (inspection.showsPublished) addPublished(parts, task);
    return parts.key(usedBy(task));
  };
}

interface Parts {
  /** @param hash of the value, if it is known already */
  add(name: string, value: Json, hash?: string): void;
  /** A part of which only the hash is worth keeping. */
  addHash(name: string, hash: string): void;
  key(uses: readonly string[]): Key;
}

function collectParts(): Parts {
  const parts: Record<string, string> = {};
  const values: Record<string, Json> = {};
  return {
    add(name, value, hash = hashJson(value)) {
      parts[name] = hash;
      values[name] = value;
    },
    addHash(name, hash) {
      parts[name] = hash;
    },
    key: (uses) => ({ hash: hashJson(parts), parts, values, uses }),
  };
}

const usesOf = new WeakMap<Step, readonly string[]>();

/** Ids of the steps that the config and the asserts read, also by the item of a loop around it. */
function usedBy({ step, home }: Task): readonly string[] {
  const known = usesOf.get(step);
  if (known) return known;
  const config = step.body.type === 'leaf' ? templateExpressions(step.body.config) : [];
  const own = [...config, ...step.assert.map(({ that }) => that)];
  const readsItem = own.some(({ refs }) => refs.some(({ root }) => root === 'item'));
  const loop = readsItem ? loopAround(step, home) : undefined;
  const expressions = [...own, ...(loop ? templateExpressions(loop.over) : [])];
  const ids = expressions.flatMap(({ refs }) => refs.filter(({ root }) => root === 'steps').map(({ path }) => path[0]));
  const uses = [...new Set(ids.filter((id): id is string => typeof id === 'string'))];
  usesOf.set(step, uses);
  return uses;
}

function loopAround(step: Step, home: Place): Foreach | undefined {
  if (step.foreach) return step.foreach;
  return home.around && loopAround(home.around.step, home.around.place);
}

async function addModels(parts: Parts, config: Json, names: readonly string[], models: Models): Promise<void> {
  const written = isObject(config) && typeof config.model === 'string' ? [config.model] : names;
  for (const name of names.length > 0 ? written : []) {
    const { label, host, parameters } = await models.pick(name);
    parts.add('model', [label, host, parameters]);
  }
}

/** Files that the config declares under `files`, relative to the run folder: what the step reads, and no other. */
function declaredFiles(config: Json, { folders }: Running): string[] {
  const files = isObject(config) && Array.isArray(config.files) ? config.files : [];
  return files.filter((file): file is string => typeof file === 'string').map((file) => join(folders.run, file));
}

/** Roots whose values are places or ids of this one run, or files by their place. */
const PLACES = new Set(['run', 'skill', 'skills', 'project', 'inputs']);

function isPlaced(template: Template, { roots, namedRoots }: Running): boolean {
  // The query of a child may name a folder of this run.
  const isPlace = (root: string) => PLACES.has(root) || (root === 'query' && roots.query !== namedRoots.query);
  return templateExpressions(template).some((one) => one.refs.some((ref) => isPlace(ref.root)));
}

/** Whether the template reads `skills.<name>`. */
function names(template: Template, name: string): boolean {
  return templateExpressions(template).some((one) =>
    one.refs.some((ref) => ref.root === 'skills' && (ref.path.length === 0 || ref.path[0] === name)),
  );
}

/** The values of the paths that an assert reads, but for `output` itself. */
function valuesOf(expression: Expression, task: Task, running: Running): Json {
  const scope = scopeFor(expression, task.frame, running.namedRoots);
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

const toolHashes = new WeakMap<Tool, Map<string, string>>();

function toolHash(grant: string, tools: readonly Tool[]): string {
  const tool = tools.find((one) => one.spec.name === grant || grant.startsWith(`${one.spec.name}(`));
  if (!tool) return sha256(grant);
  const known = toolHashes.get(tool)?.get(grant);
  if (known !== undefined) return known;
  const hash = hashJson([grant, { ...tool.spec }]);
  toolHashes.set(tool, (toolHashes.get(tool) ?? new Map()).set(grant, hash));
  return hash;
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
