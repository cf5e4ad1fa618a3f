/** What a child pipeline is given: its query, its inputs, its folders, and no more than its parent may do itself. */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { ChildBody, Permissions, Plan } from '../core/plan.js';
import { compileSchema } from '../core/schema.js';
import { complaintLine } from '../core/schema-complaints.js';
import { ensureDir, writeFileAtomic } from '../files/atomic-write.js';
import { holdAsIs, realOfHeld } from '../files/held.js';
import { isInside } from '../files/jail.js';
import { machineryProblem } from '../files/machinery.js';
import { secretProblem } from '../files/names.js';
import { realPathOf } from '../files/real-path.js';
import { hashPath } from './key.js';
import type { Surroundings, Task } from './place.js';
import { namedRootsFor, type Running, rootsFor } from './running.js';
import { renderIn } from './scope.js';

/** The child's folder and the file of its inputs are there afterwards. Throws `input.invalid`. */
export async function enterChild(task: Task, { plan, config }: ChildBody, around: Surroundings): Promise<Running> {
  const given = objectOf(renderIn(config, task.frame, around.roots));
  const named = objectOf(renderIn(config, task.frame, around.namedRoots));
  const query = textOf(given.query ?? around.roots.query);
  const inputs = await inputsOf(plan, objectOf(given.inputs ?? {}), objectOf(named.inputs ?? {}), around);
  const prefix = `${task.prefix}${task.step.id}/`;
  const dir = join(around.runDir.dir, `${task.prefix}${task.step.id}`);
  const file = join(around.runDir.step(task.path).dir, '.inputs.json');
  makeFolder(dir, prefix);
  ensureDir(around.runDir.step(task.path).dir);
  writeFileAtomic(file, JSON.stringify({ query, ...inputs.values }), { durable: false });
  const permissions = narrowed(plan.permissions, around);
  return {
    plan,
    roots: rootsFor(plan, query, inputs.values, { ...around.roots.run, dir }, around.folders.project),
    namedRoots: namedRootsFor(plan, textOf(named.query ?? around.roots.query), inputs.named),
    inputs: inputs.values,
    permissions,
    readable: inputs.files,
    held: holdAsIs([...permissions.read, ...permissions.write, ...inputs.files], around.held),
    maxParallel: plan.ownLimits.maxParallel ?? around.maxParallel,
    folders: { run: dir, skill: plan.skill.dir, project: around.folders.project, inputs: file },
    prefix,
  };
}

interface ChildInputs {
  readonly values: JsonObject;
  readonly named: JsonObject;
  readonly files: readonly string[];
}

async function inputsOf(plan: Plan, given: JsonObject, named: JsonObject, around: Surroundings): Promise<ChildInputs> {
  const properties = objectOf(plan.inputs.properties ?? {});
  const defaults: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (isObject(schema) && schema.default !== undefined) defaults[name] = schema.default;
  }
  const values: Record<string, Json> = { ...defaults, ...given };
  const keyed: Record<string, Json> = { ...defaults, ...named };
  const files: string[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const value = values[name];
    if (!isObject(schema) || schema.format !== 'path' || typeof value !== 'string') continue;
    const isDefault = given[name] === undefined;
    const file = inputFile(
      name,
      isDefault ? resolve(plan.skill.dir, value) : value,
      around,
      isDefault ? [plan.skill.dir] : [],
    );
    files.push(file);
    values[name] = file;
    keyed[name] = `«file:${hashPath(file)}»`;
  }
  const complaints = (await compileSchema(plan.inputs))(values);
  if (complaints.length > 0) {
    const words = complaints.map(complaintLine).join('; ');
    throw new Fault('input.invalid', `the inputs of the pipeline do not fit: ${words}`);
  }
  return { values, named: keyed, files };
}

/** A value may come from a model: only a file that this pipeline's own tools could read is handed on. */
function inputFile(name: string, value: string, around: Surroundings, more: readonly string[]): string {
  const { folders, readable, permissions } = around;
  const file = realPathOf(resolve(folders.run, value));
  const roots = [...more, folders.run, folders.skill, ...readable, ...permissions.read, ...permissions.write];
  const why = whyNoInput(file, roots, around);
  if (why === undefined) return file;
  throw new Fault('input.invalid', `the input "${name}" of the pipeline: ${value} ${why}`, {
    hint: "Paths begin at this pipeline's run folder; other folders need permissions.read.",
  });
}

function whyNoInput(file: string, roots: readonly string[], around: Surroundings): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return 'does not exist';
  if (!stat.isFile()) return 'is not a regular file';
  const { folders, permissions, readable, runDir, held } = around;
  const named = [...permissions.read, ...permissions.write, ...readable];
  const machinery = machineryProblem({ run: realPathOf(runDir.dir), project: folders.project }, file, named);
  if (machinery !== undefined || !roots.some((root) => isInside(realOfHeld(held, root), file))) {
    return 'may not be read by this pipeline';
  }
  const secret = secretProblem(file);
  return secret === undefined ? undefined : `may not be read: ${secret}`;
}

/** A child never has what its parent has not, wherever links lead. Throws `step.path` where a link came since the run began. */
function narrowed(own: Permissions, { permissions: parent, held }: Surroundings): Permissions {
  const real = (path: string) => realOfHeld(held, path);
  const readable = [...parent.read, ...parent.write].map(real);
  const writable = parent.write.map(real);
  const below = (roots: readonly string[]) => (path: string) => roots.some((root) => isInside(root, path));
  return {
    read: own.read.map(real).filter(below(readable)),
    write: own.write.map(real).filter(below(writable)),
    env: own.env.filter((name) => parent.env.includes(name)),
    network: own.network && parent.network,
  };
}

/** Throws `step.conflict` if a step has published a file of that name. */
function makeFolder(dir: string, name: string): void {
  const there = fs.lstatSync(dir, { throwIfNoEntry: false });
  if (there && !there.isDirectory()) {
    throw new Fault(
      'step.conflict',
      `the pipeline publishes below ${name}, and another step has published a file there`,
      {
        hint: 'Give the file or the step another name.',
      },
    );
  }
  ensureDir(dir);
}

function objectOf(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
