/** The environment of a command that a model wrote: little, and no folder of programs that it could have filled itself. */
import { delimiter, isAbsolute } from 'node:path';
import type { Sandbox, StepContext } from '../core/context.js';
import { inherited } from '../core/provider-keys.js';
import { isReallyWithin } from '../files/real-path.js';

const ALWAYS = ['HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/** @param own of the sandbox: it has a HOME of its own */
export function shellEnvironment(
  context: StepContext,
  sandbox: Sandbox,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { environment, permissions, folders } = context;
  const always = sandbox.type === 'on' ? ALWAYS.slice(1) : ALWAYS;
  return {
    ...inherited(environment, [...always, ...permissions.env]),
    PATH: searchPath(context),
    PIPELINE_QUERY: context.query,
    PIPELINE_INPUTS: folders.inputs,
    PIPELINE_RUN_DIR: folders.run,
    PIPELINE_SKILL_DIR: folders.skill,
    ...own,
  };
}

function searchPath({ environment, permissions, folders }: StepContext): string {
  const writable = [folders.run, ...permissions.write];
  return (environment.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !writable.some((root) => isReallyWithin(root, folder)))
    .join(delimiter);
}
