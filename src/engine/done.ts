/** What an attempt that ended well comes to: its output held against all that speaks of it, its files as artifacts. */
import fs from 'node:fs';
import { relative } from 'node:path';
import { Fault } from '../core/faults.js';
import type { KindResult } from '../core/kind.js';
import type { StepOutcome } from '../core/outcome.js';
import type { Redactor } from '../core/secrets.js';
import { collectWork } from './collect.js';
import { judge, refuse } from './judge.js';
import type { LeafTools } from './leaf-tools.js';
import type { Surroundings, Task } from './place.js';
import { refuseSecret } from './refuse-secret.js';
import { type Saved, saveFiles } from './save.js';

/** Throws the fault that speaks against it. */
export async function doneWith(
  result: Omit<Extract<KindResult, { type: 'output' }>, 'type'>,
  task: Task,
  around: Surroundings,
  tools: LeafTools,
  onSaved: (saved: Saved) => void,
): Promise<StepOutcome> {
  const { work } = tools.runDir.step(task.path);
  refuse(await judge(task.step, result.value, task.frame, around.roots, work));
  refuseSecret(tools.redactor?.find(result.value), 'its output');
  const { redactor } = tools;
  const left = collectWork(work, task.prefix, tools.blobs, (file) =>
    refuseSecret(redactor && secretIn(file, redactor), relative(work, file)),
  );
  for (const { path, why } of left.skipped) {
    await around.record({ type: 'step_notice', path: task.path, text: `${path} is not published: ${why}` });
  }
  const saved = task.saves ? saveFiles(task, result.value, around.roots, tools) : undefined;
  const artifacts = [...left.artifacts, ...(saved?.artifacts ?? [])];
  for (const { path } of artifacts) refuseSecret(redactor?.find(path), 'the name of one of its files');
  refuseTwice(artifacts.map(({ path }) => path));
  tools.publisher.claim(task, artifacts);
  if (saved) onSaved(saved);
  return { status: 'done', output: result.value, artifacts, ...(result.reads ? { reads: result.reads } : {}) };
}

const PIECE_BYTES = 64 * 1024;

function secretIn(file: string, redactor: Redactor): string | undefined {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    const search = redactor.search();
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let read = fs.readSync(fd, piece); read > 0; read = fs.readSync(fd, piece)) {
      const name = search(piece.subarray(0, read));
      if (name !== undefined) return name;
    }
    return undefined;
  } finally {
    fs.closeSync(fd);
  }
}

function refuseTwice(paths: readonly string[]): void {
  if (new Set(paths).size === paths.length) return;
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  throw new Fault('step.conflict', `the step left ${twice} in its work folder and also saves its output there`);
}
