/** The values that replace those of the file. */
import { readRunFile } from '../engine/run-file.js';
import type { RunRequest } from '../request.js';

/** A run that is gone on with keeps those it had. */
export function overridesOf({ resume, fork, overrides }: RunRequest): Readonly<Record<string, string>> {
  const dir = fork?.dir ?? (typeof resume === 'object' ? resume.dir : undefined);
  return { ...(dir === undefined ? {} : readRunFile(dir)?.overrides), ...overrides };
}
