/** What the context of an agent holds where no run surrounds it: no limit, files in one folder, a step of no plan. */
import type { Budget, Folders } from '../core/context.js';
import type { JsonSchema } from '../core/json.js';
import type { Step } from '../core/plan.js';

export const UNLIMITED: Budget = {
  reserve: async () => ({ settle: () => undefined }),
  nearest: () => ({ share: 0, of: '' }),
  limitsUsd: false,
};

/** @param folder absolute: all of its own is there @param project absolute */
export function foldersIn(folder: string, project: string): Folders {
  return {
    work: folder,
    step: folder,
    prompt: `${folder}/prompt.md`,
    transcript: `${folder}/transcript.ndjson`,
    stdout: `${folder}/stdout.log`,
    stderr: `${folder}/stderr.log`,
    run: folder,
    skill: folder,
    project,
    inputs: `${folder}/inputs.json`,
  };
}

/** What the type of a context demands. @param output the schema that answers are held against */
export function stepOfNoPlan(id: string, output?: JsonSchema): Step {
  const at = { file: '', line: 1, column: 1 };
  return {
    id,
    title: id,
    at,
    after: [],
    ...(output === undefined ? {} : { output: { json: output, source: 'inline', at } }),
    assert: [],
    artifacts: [],
    save: [],
    retry: { attempts: 1, backoffMs: 0 },
    onError: 'fail',
    effect: 'repeatable',
    cache: false,
    limits: {},
    body: { type: 'group', steps: [] },
  };
}
