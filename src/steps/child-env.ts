/** What a child process sees of the environment: an allow-list, what the plan permits, the run's own variables. Never a provider's key. */
import { join } from 'node:path';
import type { StepContext } from '../core/context.js';
import { inherited } from '../core/provider-keys.js';
import { ownProgram } from '../files/own-program.js';

const ALWAYS = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'TZ'];

export interface ChildEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Where the process may write its output instead of to stdout. Absolute. */
  readonly outputFile: string;
}

/** @param own the step's `env` */
export function childEnvironment(context: StepContext, own: Readonly<Record<string, string>>): ChildEnvironment {
  const { folders, environment } = context;
  const outputFile = join(folders.step, 'output.txt');
  const program = ownProgram();
  return {
    outputFile,
    env: {
      ...inherited(environment, [...ALWAYS, ...context.permissions.env]),
      PIPELINE_QUERY: context.query,
      PIPELINE_INPUTS: folders.inputs,
      PIPELINE_RUN_DIR: folders.run,
      PIPELINE_SKILL_DIR: folders.skill,
      PIPELINE_PROJECT_DIR: folders.project,
      PIPELINE_OUTPUT: outputFile,
      PIPELINE_STEP_KEY: context.stepKey,
      ...(program === undefined ? {} : { PIPELINE_BIN: program }),
      ...(context.placeholder ? { PIPELINE_PLACEHOLDER: '1' } : {}),
      ...own,
    },
  };
}
