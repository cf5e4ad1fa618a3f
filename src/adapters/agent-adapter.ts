/** agentToAdapter(): an agent of another kind that gives text; one call puts the text into the schema, unless it is in it already. */
import { type Json, parseJson } from '../core/json.js';
import { compileSchema } from '../core/schema.js';
import type { CallOptions } from './context.js';
import { schemaOf } from './define-tool.js';
import { askOnce } from './llm-adapter.js';
import type { ModelOptions } from './model-of.js';
import { type AdapterFn, promptOf } from './role.js';

/** Gives its text, alone or as `output`. */
export type TextAgent = (prompt: string, options: CallOptions) => Promise<string | { readonly output: string }>;

const EXTRACT =
  'You are given a text. Put what it says into the form that is asked for. Add nothing, and leave nothing out that the form has a place for.';

/** @param extract the model that puts the text into the schema */
export function agentToAdapter(agent: TextAgent, extract: ModelOptions): AdapterFn {
  return (prompt, source) => {
    const schema = schemaOf(source);
    return async (thread, call = {}) => {
      const given = await agent(`${prompt}\n\n${promptOf(thread)}`, call);
      const text = typeof given === 'string' ? given : given.output;
      const value = jsonOf(text);
      const fits = value !== undefined && (await compileSchema(schema))(value).length === 0;
      return (fits ? value : await askOnce(extract, EXTRACT, schema, text, call)) as never;
    };
  };
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text.trim());
  } catch {
    return undefined;
  }
}
