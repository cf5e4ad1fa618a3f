/** An `effect: once` step of which nobody knows how its last attempt ended: only a person can say. */
import fs from 'node:fs';
import { Fault, type FaultData } from '../core/faults.js';
import { type Json, parseJson } from '../core/json.js';
import type { StepOutcome } from '../core/outcome.js';
import type { Step } from '../core/plan.js';
import { doneWith } from './done.js';
import type { Assumed, Keyed, LeafTools, Work } from './leaf-tools.js';
import type { Surroundings } from './place.js';

/** Whether an attempt was begun, perhaps as what this is now, of which nobody knows how it ended. */
export function isUnknown(task: Keyed, tools: LeafTools): boolean {
  return !tools.retryUnknown && concerns(task, tools) !== undefined;
}

function concerns(task: Keyed, { past }: LeafTools): 'this' | 'perhaps this' | undefined {
  const { path, key } = task;
  // It has failed here: an equal one elsewhere was cut off.
  if (past.failedWith.get(path)?.key === key.hash && !past.interrupted.at(path, key.hash)) return undefined;
  const found = [past.interrupted, past.inherited].map((attempts) => attempts.concerns(task, task.key.hash));
  return found.includes('this') ? 'this' : found.find((one) => one !== undefined);
}

/** Only a person can say whether the effect of an `effect: once` step took place. */
export async function settleUnknown(
  task: Keyed,
  around: Surroundings,
  tools: LeafTools,
  publish: (work: Work) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const { path } = task;
  const askWhether = async (first: string): Promise<StepOutcome> => {
    const ask = questionOf(task, first);
    await around.record({ type: 'step_waiting', path, ask });
    return { status: 'waiting', ask };
  };
  const isPerhapsAnother = concerns(task, tools) === 'perhaps this';
  const said = wordFor(task, tools, isPerhapsAnother);
  if (said.type === 'none') {
    const call = tools.past.openCalls.get(path);
    const during = call ? `, during its call of ${call.name} in round ${call.round}` : '';
    const whose = isPerhapsAnother ? ', as this item or as another one that stood there' : '';
    return askWhether(
      `An attempt of "${path}" was interrupted${during}${whose}, and its effect must not happen twice.`,
    );
  }
  if (said.type === 'unclear') return askWhether(said.why);
  try {
    // The attempt may have been cut off before it had a folder.
    fs.mkdirSync(tools.runDir.step(path).work, { recursive: true, mode: 0o700 });
    const outcome = await publish((onSaved) => doneWith({ value: said.output }, task, around, tools, onSaved));
    await around.record({ type: 'step_notice', path, text: 'taken as done on the word of a person' });
    return outcome;
  } catch (error) {
    if (!(error instanceof Fault) || !error.data.code.startsWith('step.')) throw error;
    return askWhether(`What "${path}" is said to have given does not hold: ${error.data.message}.`);
  }
}

function questionOf({ step, path }: Keyed, first: string) {
  const file = step.output ? ' --output <file>' : '';
  const how = `on resume, --retry-unknown repeats it, --assume-done ${path}${file} takes it as done`;
  return { question: `${first} Look whether it happened: ${how}.` };
}

/** An `effect: once` step that was ended by time in the midst of its work: it is neither failed nor tried again. */
export function cutShort(task: Keyed, { code, message }: FaultData, { past }: LeafTools): StepOutcome | undefined {
  if (task.step.effect !== 'once' || (code !== 'step.timeout' && code !== 'step.silent')) return undefined;
  past.interrupted.begin(task, task.key.hash);
  const first = `An attempt of "${task.path}" was cut short (${message}), and its effect must not happen twice.`;
  return { status: 'waiting', ask: questionOf(task, first) };
}

type Word =
  | { readonly type: 'none' }
  | { readonly type: 'unclear'; readonly why: string }
  | { readonly type: 'output'; readonly output: Json };

/** What a person said of this step. */
function wordFor({ step, path }: Keyed, { assumeDone, past }: LeafTools, isPerhapsAnother: boolean): Word {
  if (!assumeDone) return { type: 'none' };
  const { step: named } = assumeDone;
  if (named === undefined && isPerhapsAnother) {
    return { type: 'unclear', why: `"${path}" may be another item than the one that was interrupted there: name it.` };
  }
  if (named !== undefined && named !== path && named !== step.id) return { type: 'none' };
  const gives = assumeDone.text !== undefined || assumeDone.output !== undefined;
  if (gives && named === undefined && past.interrupted.count() > 1) {
    return { type: 'unclear', why: 'More than one step was interrupted: say whose output it is.' };
  }
  try {
    const output = assumedOutput(assumeDone, step);
    if (output !== undefined) return { type: 'output', output };
    return { type: 'unclear', why: `"${path}" declares a schema: what it gave must be said, as JSON in a file.` };
  } catch (error) {
    return { type: 'unclear', why: `What "${path}" is said to have given is no JSON: ${(error as Error).message}.` };
  }
}

/** Undefined where a schema asks for a value and none was said. */
function assumedOutput(assumed: Assumed, { output: schema }: Step): Json | undefined {
  if (assumed.text !== undefined) return schema ? parseJson(assumed.text) : assumed.text;
  return assumed.output ?? (schema ? undefined : '');
}
