/** What speaks against an output: its schema, then the asserts, then missing artifacts. */

import type { Complaint } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Step } from '../core/plan.js';
import { compileSchema } from '../core/schema.js';
import { complaintLine } from '../core/schema-complaints.js';
import { fitsPlainly } from '../core/schema-plain.js';
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
  if (step.output && !fitsPlainly(step.output.json, output)) {
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

/** Throws the fault that these complaints amount to. */
export function refuse(complaints: readonly Complaint[]): void {
  const [first] = complaints;
  if (!first) return;
  const code = first.from === 'schema' ? 'step.output' : first.from === 'assert' ? 'step.assert' : 'step.artifacts';
  const head = first.from === 'schema' ? 'the output does not match its schema: ' : '';
  throw new Fault(code, `${head}${complaints.map(complaintLine).join('; ')}`);
}
