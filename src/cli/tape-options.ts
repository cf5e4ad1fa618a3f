/** What `--record <dir>` and `--replay <dir|run>` name. */
import { resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import { findRun } from '../engine/find-run.js';
import { runsDirOf } from '../load/project.js';
import type { RunRequest } from '../request.js';
import { openProject } from '../run.js';

export interface TapeOptions {
  readonly record?: string;
  readonly replay?: string;
  readonly model?: string;
  readonly skillsDir: readonly string[];
}

export function givenTape({ record, replay, model, skillsDir }: TapeOptions): Pick<RunRequest, 'record' | 'replay'> {
  if (replay !== undefined && model !== undefined) {
    throw new Fault('input.invalid', '--replay and --model exclude each other: a replay asks no model', {
      hint: 'Leave one of the two out.',
    });
  }
  return {
    ...(record === undefined ? {} : { record: resolve(record) }),
    ...(replay === undefined ? {} : { replay: recordingNamed(replay, skillsDir) }),
  };
}

/** A run's name, or else a folder, which the run looks at. */
function recordingNamed(name: string, skillsDirs: readonly string[]): string {
  const cwd = process.cwd();
  const { dir } = openProject({ cwd, env: process.env, skillsDirs });
  return findRun(name, runsDirOf(dir), cwd) ?? resolve(name);
}
