/** Where the file tools of a step may read and write, and how they say no. */
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { JsonObject } from '../core/json.js';
import type { ToolResult } from '../core/tool.js';
import { rootFor } from '../files/folder.js';
import { heldRoot, type Root } from '../files/held.js';
import { isInside, resolveWrite } from '../files/jail.js';
import { errorCode } from '../files/layer.js';
import { RUNS, refuseMachinery as refuseMachineryIn, runAround, STEPS } from '../files/machinery.js';
import { publishProblem } from '../files/names.js';

/** Where this path is looked for, in order. */
export function readRoots(context: StepContext, path: string): readonly Root[] {
  const { work, run, skill } = context.folders;
  const { read, write } = context.permissions;
  const more = isAbsolute(path) ? [...read, ...write, ...context.readable] : [];
  return [...new Set([work, run, skill, ...more])].map((folder) => heldRoot(context.held, folder));
}

/** The absolute path that a tool may write, or a `step.path` fault. Nothing need be there yet. */
export function locateWrite(context: StepContext, path: string): { readonly root: Root; readonly real: string } {
  const root = heldRoot(context.held, rootFor([context.folders.work, ...context.permissions.write], path));
  const real = resolveWrite(root, path);
  const work = realpathSync.native(context.folders.work);
  if (isInside(work, real)) refuseUnpublishable(path, relative(work, real).split(sep).join('/'));
  else if (isInside(runAround(work) || work, real) || belongsToRunner(context, real)) {
    throw new Fault('step.path', `${path} may not be written: the folders of runs are read-only for tools.`, {
      hint: 'Write a relative path; the file is published there when the step has succeeded.',
    });
  }
  return { root, real };
}

/** All runs, their logs among them. */
function belongsToRunner({ folders }: StepContext, real: string): boolean {
  const below = relative(realpathSync.native(folders.project), real).split(sep);
  return below[0] === RUNS || below.includes(STEPS) || real.split(sep).includes(STEPS);
}

/** Said while the model can still choose another name. */
function refuseUnpublishable(path: string, published: string): void {
  const why = publishProblem(published);
  if (why) throw new Fault('step.path', `${path} could not be published: ${why}.`, { hint: 'Choose another name.' });
}

/** The run's own machinery is no material: other agents' conversations, the journal, the lock, other runs. */
export function refuseMachinery({ folders, permissions, readable }: StepContext, path: string, real: string): void {
  refuseMachineryIn(folders, path, real, [...permissions.read, ...permissions.write, ...readable]);
}

/** Runs a tool's work; what the model can act on comes back as an error that names the tool. */
export async function answering(tool: string, work: () => ToolResult | Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && (error.data.code === 'step.path' || error.data.code === 'config.invalid')) {
      return failure(tool, error.data.message, error.data.hint);
    }
    const reason = REASONS[errorCode(error) ?? ''];
    if (reason) return failure(tool, `${reason}.`);
    throw error;
  }
}

export function failure(tool: string, message: string, next?: string): ToolResult {
  return { type: 'error', text: `${tool}: ${message}${next ? ` ${next}` : ''}` };
}

/** The loop has checked the arguments against the schema; this only tells the compiler. */
export function text(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}

export function count(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk; nothing was changed',
  EDQUOT: 'the disk quota is used up; nothing was changed',
  EFBIG: 'the file would be larger than the system allows; nothing was changed',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'it was removed in the meantime',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk reported an error',
};
