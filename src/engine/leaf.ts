/** One leaf step: its values, its key, its earlier result or its attempts, its files. */

import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { StepOutcome } from '../core/outcome.js';
import type { LeafBody } from '../core/plan.js';
import { compileSchema } from '../core/schema.js';
import { complaintLine } from '../core/schema-complaints.js';
import { fitsPlainly } from '../core/schema-plain.js';
import { attempts } from './attempt.js';
import { isRerun, type Keyed, type LeafTools, type Work } from './leaf-tools.js';
import { failed, type LeafTask, type Surroundings } from './place.js';
import { keepResults } from './run-dir.js';
import { type Saved, saveFiles } from './save.js';
import { renderIn } from './scope.js';
import { isUnknown, settleUnknown } from './unknown.js';

export async function performLeaf(task: LeafTask, around: Surroundings, tools: LeafTools): Promise<StepOutcome> {
  const { step, path, body } = task;
  try {
    const config = renderIn(body.config, task.frame, around.roots);
    if (body.config.type !== 'literal') await refuseMisfit(body, config);
    const key = await tools.keyOf(task, config, around);
    const keyed = { ...task, config, key, stepKey: tools.idempotency.keyFor(task, key) };
    const reused = step.cache && !isRerun(path, tools) ? await reuse(keyed, around, tools) : undefined;
    if (reused) return reused;
    if (step.effect === 'once' && isUnknown(keyed, tools)) {
      return await settleUnknown(keyed, around, tools, (work) => runAndPublish(keyed, tools, work));
    }
    return await runAndPublish(keyed, tools, (onSaved) => attempts(keyed, around, tools, onSaved));
  } catch (error) {
    return failed(path, error, around);
  }
}

/** What expressions came to must be what the kind takes, as the check asks of what is written. */
async function refuseMisfit({ kind }: LeafBody, config: Json): Promise<void> {
  if (fitsPlainly(kind.schema, config)) return;
  const complaints = (await compileSchema(kind.schema))(config);
  if (complaints.length === 0) return;
  throw new Fault(
    'step.expression',
    `the ${kind.name} cannot take its values: ${complaints.map(complaintLine).join('; ')}`,
  );
}

async function reuse(task: Keyed, around: Surroundings, tools: LeafTools): Promise<StepOutcome | undefined> {
  const earlier = await tools.durable.lookup(task, task.key, around.folders);
  if (!earlier) return undefined;
  const { output } = earlier.outcome;
  const saved = saveFiles(task, output, around.roots, tools);
  const outcome = { ...earlier.outcome, artifacts: [...earlier.outcome.artifacts, ...saved.artifacts] };
  tools.publisher.claim(task, outcome.artifacts);
  await tools.durable.reuse(task, task.key, { ...earlier, outcome });
  tools.publisher.publish(task, { artifacts: outcome.artifacts, texts: saved.texts });
  return outcome;
}

async function runAndPublish(task: Keyed, tools: LeafTools, work: Work): Promise<StepOutcome> {
  let saved: Saved | undefined;
  const outcome = await tools.durable.run(task, task.key, () =>
    work((files) => {
      saved = files;
    }),
  );
  if (outcome.status !== 'done') return outcome;
  const folders = tools.runDir.step(task.path);
  keepResults(folders);
  await tools.removal.remove(folders.work);
  tools.publisher.publish(task, { artifacts: outcome.artifacts, texts: saved?.texts ?? new Map() });
  return outcome;
}
