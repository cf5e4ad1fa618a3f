/** What speaks against an output: its schema, then the asserts, then missing artifacts. */
import type { Json } from '../core/json.js';
import { compileSchema } from '../core/schema.js';
import type { Complaint, Step } from '../core/types.js';
import { missingArtifacts } from './collect.js';
import { evaluateIn, type Frame, type RunRoots, renderIn } from './scope.js';

/** @param work the folder whose files `artifacts` speaks of; undefined for a group */
export async function judge(
  step: Step,
  output: Json,
  frame: Frame,
  roots: RunRoots,
  work: string | undefined,
): Promise<readonly Complaint[]> {
  if (step.output) {
    const complaints = (await compileSchema(step.output.json))(output);
    if (complaints.length > 0) return complaints;
  }
  const broken: Complaint[] = [];
  for (const { that, message } of step.assert) {
    if (evaluateIn(that, frame, roots, output) === true) continue;
    const words = renderIn(message, frame, roots, output);
    broken.push({ from: 'assert', path: '', message: typeof words === 'string' ? words : JSON.stringify(words) });
  }
  if (work === undefined) return broken;
  for (const glob of await missingArtifacts(work, step.artifacts)) {
    broken.push({
      from: 'artifacts',
      path: '',
      message: `no file matches ${glob}; the step must leave one in its work folder`,
    });
  }
  return broken;
}
