/** createLlmAdapter(): one call without tools, its answer held against the schema, repaired once at most. */
import { answerForm, answerWords } from '../agent/answer-form.js';
import { askForAnswer } from '../agent/one-call.js';
import type { JsonObject } from '../core/json.js';
import { aloneWith, type CallOptions } from './context.js';
import { schemaOf } from './define-tool.js';
import { asked, type ModelOptions } from './model-of.js';
import { type AdapterFn, imagesOf, promptOf, type Thread } from './role.js';

const IDLE_TIMEOUT_MS = 120_000;

/** Rejects with a Fault: `agent.schema` when the answer does not satisfy the schema, `provider.*` and the like. */
export function createLlmAdapter(options: ModelOptions): AdapterFn {
  return (prompt, source) => {
    const schema = schemaOf(source);
    return async (thread, call = {}) => (await askOnce(options, prompt, schema, thread, call)) as never;
  };
}

export async function askOnce(
  options: ModelOptions,
  system: string,
  schema: JsonObject,
  thread: Thread,
  call: CallOptions,
) {
  const alone = aloneWith(schema, call);
  const form = answerForm(schema);
  try {
    return await askForAnswer(
      {
        ...asked(options),
        system: [system.trim(), answerWords(form)].filter((part) => part !== '').join('\n\n'),
        prompt: promptOf(thread),
        images: imagesOf(thread),
        form,
        async accept(value) {
          const complaints = await alone.context.judge(value);
          return complaints.length === 0 ? { value } : { complaints };
        },
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        key: 'agent',
        transcript: alone.context.folders.transcript,
      },
      alone.context,
    );
  } finally {
    alone.close();
  }
}
