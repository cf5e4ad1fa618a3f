/** An `effect: once` step of which nobody knows how its last attempt ended: only a person can say. */
import { type Json, parseJson } from '../core/json.js';
import type { StepOutcome } from '../core/outcome.js';
import type { Step } from '../core/plan.js';
import { complaintLine } from '../core/schema-complaints.js';
import { judge } from './judge.js';
import type { Assumed, Keyed, LeafTools, Work } from './leaf-tools.js';
import type { Surroundings } from './place.js';
import { saveFiles } from './save.js';

/** Whether an attempt was begun of which nobody knows how it ended: at this place, or as the item that this was before. */
export function isUnknown({ path, family, key }: Keyed, { past, retryUnknown }: LeafTools): boolean {
  if (retryUnknown) return false;
  return path === family ? past.interrupted.at(path) : past.interrupted.inFamily(family, key.hash);
}

/** Only a person can say whether the effect of an `effect: once` step took place. */
export async function settleUnknown(
  task: Keyed,
  around: Surroundings,
  tools: LeafTools,
  publish: (work: Work) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const { step, path } = task;
  const file = step.output ? ' --output <file>' : '';
  const askWhether = async (first: string): Promise<StepOutcome> => {
    const question = `${first} Look whether it happened: --resume --retry-unknown repeats it, --resume --assume-done${file} takes it as done.`;
    await around.record({ type: 'step_waiting', path, ask: { question } });
    return { status: 'waiting', ask: { question } };
  };
  const assumed = tools.assumeDone();
  if (!assumed) return askWhether(`An attempt of "${path}" was interrupted, and its effect must not happen twice.`);
  let output: Json | undefined;
  try {
    output = assumedOutput(assumed, step);
  } catch (error) {
    return askWhether(`What "${path}" is said to have given is no JSON: ${(error as Error).message}.`);
  }
  if (output === undefined) {
    return askWhether(`"${path}" declares a schema: what it gave must be said, as JSON in a file.`);
  }
  const complaints = await judge(step, output, task.frame, around.roots, undefined);
  if (complaints.length > 0) {
    return askWhether(
      `What "${path}" is said to have given does not fit: ${complaints.map(complaintLine).join('; ')}.`,
    );
  }
  await around.record({ type: 'step_notice', path, text: 'taken as done on the word of a person' });
  return publish(async (onSaved) => {
    const saved = saveFiles(task, output, around.roots, tools.placeholder);
    tools.publisher.claim(task, saved.artifacts);
    onSaved(saved);
    return { status: 'done', output, artifacts: saved.artifacts };
  });
}

/** Undefined where a schema asks for a value and none was said. */
function assumedOutput(assumed: Assumed, { output: schema }: Step): Json | undefined {
  if ('text' in assumed) return schema ? parseJson(assumed.text) : assumed.text;
  return assumed.output ?? (schema ? undefined : '');
}
