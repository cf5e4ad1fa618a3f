/** A call that a model wrote down among its thoughts and then did not make. */
import { isObject } from '../core/json.js';
import type { ModelReply, ToolCall, ToolSpec } from '../core/model.js';
import { compileSchema } from '../core/schema.js';
import { parseJson } from './wire-faults.js';

/** As the chat templates of Qwen and Hermes write calls. */
const [BEGIN, END] = ['<tool_call>', '</tool_call>'] as const;

/**
 * The one call that stands in the reasoning, if the reply has no other, the tool exists and its parameters are satisfied. Several
 * different drafts are deliberation: none is taken.
 */
export async function draftedCall(
  reply: ModelReply,
  tools: readonly ToolSpec[],
  uniqueId: (proposed: string | undefined) => string,
): Promise<ToolCall | undefined> {
  if (reply.finish !== 'stop' || reply.calls.length > 0 || reply.reasoning === undefined) return undefined;
  const drafts = new Set(reply.reasoning.split(BEGIN).slice(1).flatMap(upToEnd));
  const [json = ''] = drafts;
  const draft = drafts.size === 1 ? parseJson(json) : undefined;
  if (!isObject(draft)) return undefined;
  const args = typeof draft.arguments === 'string' ? parseJson(draft.arguments) : draft.arguments;
  const tool = tools.find(({ name }) => name === draft.name);
  if (!tool || !isObject(args)) return undefined;
  const problems = (await compileSchema(tool.parameters))(args);
  if (problems.length > 0) return undefined;
  return { id: uniqueId(undefined), name: tool.name, arguments: JSON.stringify(args) };
}

function upToEnd(text: string): string[] {
  const end = text.indexOf(END);
  return end < 0 ? [] : [text.slice(0, end).trim()];
}
