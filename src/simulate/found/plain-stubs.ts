/** Stubs for the processes that a run did not come to: once the pipeline is mended, its test may, and no test starts what publishes. */
import { isText } from '../../agent/answer-form.js';
import type { Json } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import { type Plan, stepsByIds } from '../../core/plan.js';
import { artifactFiles } from '../adversary/artifact-files.js';
import { PLAINEST } from '../compiled.js';
import { drawValue, NO_POOL } from '../values/values.js';

/** @param told paths that have stubs */
export function plainStubs(plan: Plan, told: ReadonlySet<StepPath>): [StepPath, Json[]][] {
  return [...stepsByIds(plan)].flatMap(([ids, step]): [StepPath, Json[]][] => {
    // What a model calls is started only if the model says so.
    const isProcess =
      step.body.type === 'leaf' && step.body.inspection.startsProcess && step.body.inspection.maxCalls === 0;
    if (!isProcess || told.has(ids)) return [];
    const schema = step.output?.json ?? { type: 'string' };
    const value = drawValue(schema, PLAINEST, NO_POOL);
    const stdout = isText(schema) && typeof value === 'string' ? `${value}\n` : value;
    const files = Object.fromEntries(artifactFiles(step).map((name) => [name, `of ${ids}\n`]));
    return [[ids, [{ stdout, ...(Object.keys(files).length > 0 ? { files } : {}) }]]];
  });
}
