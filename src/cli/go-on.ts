/** The command that goes on with a run, with the options that decide what its models are. */
import { shellWord } from '../core/shell-word.js';
import { readRunFile } from '../engine/run-file.js';
import { nameOfRun } from './run-steps.js';

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
export function resumeLine(name: string, options: SameOptions): string {
  return `pipeline resume ${[name, ...sameAgain(options)].map(shellWord).join(' ')}`;
}

/** Of the run in a folder, as its last session was asked for. */
export function resumeLineAt(dir: string): string {
  const { skillsDirs = [], detect = true, ...same } = readRunFile(dir)?.with ?? {};
  return resumeLine(nameOfRun(dir), { ...same, skillsDir: skillsDirs, detect });
}

function sameAgain({ skillsDir, model, record, replay, detect, sandbox }: SameOptions): string[] {
  return [
    ...skillsDir.flatMap((dir) => ['--skills-dir', dir]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(record === undefined ? [] : ['--record', record]),
    ...(replay === undefined ? [] : ['--replay', replay]),
    ...(detect ? [] : ['--no-detect']),
    ...(sandbox === undefined ? [] : ['--sandbox', sandbox]),
  ];
}
