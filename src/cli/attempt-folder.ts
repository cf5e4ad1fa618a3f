/** What an attempt at a step left in its folder: its model's last words, its files. */
import { join } from 'node:path';
import { lastWordsIn } from '../agent/last-words.js';
import type { StepPath } from '../core/outcome.js';
import { filesIn, folderOfAttempt, type LeftFiles } from '../engine/left-behind.js';
import type { AttemptRecord } from '../engine/read-attempts.js';
import { runDirAt } from '../engine/run-dir.js';

export interface Left extends LeftFiles {
  /** Absolute. */
  readonly folder: string;
  /** The last text or call of its model, cut. */
  readonly lastWords?: string;
}

/** Undefined for an attempt that left nothing, or whose folder is not known for certain. */
export function leftBy(dir: string, path: StepPath, attempts: readonly AttemptRecord[], at: number): Left | undefined {
  const folder = folderOfAttempt(runDirAt(dir).step(path), attempts, at);
  if (folder === undefined) return undefined;
  const said = lastWordsIn(join(folder, 'transcript.ndjson'));
  return { folder, ...(said === undefined ? {} : { lastWords: said }), ...filesIn(join(folder, 'work')) };
}
