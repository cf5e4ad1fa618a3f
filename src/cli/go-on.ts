/** The command that goes on with a run, with the options that decide what its models are. */
import { readRunFile } from '../engine/run-file.js';
import { nameOfRun, resumeCommand } from '../engine/ways-on.js';

/** What has to be said again when the run is gone on with. */
export interface SameOptions {
  readonly skillsDir: readonly string[];
  readonly model?: string;
  readonly record?: string;
  readonly replay?: string;
  /** False for `--no-detect`. */
  readonly detect: boolean;
  readonly sandbox?: 'auto' | 'off';
}

/** @param name `<skill>/<slug>` */
export function resumeLine(name: string, { skillsDir, ...same }: SameOptions): string {
  return resumeCommand(name, { ...same, skillsDirs: skillsDir });
}

/** Of the run in a folder, as its last session was asked for. */
export function resumeLineAt(dir: string): string {
  return resumeCommand(nameOfRun(dir), readRunFile(dir)?.with ?? {});
}
