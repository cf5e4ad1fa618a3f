/** From the calls of a turn to what can be performed: allow-list, arguments that are JSON, arguments that fit. */
import { isObject, type JsonObject, parseJson } from '../core/json.js';
import type { ToolCall } from '../core/model.js';
import { compileSchema } from '../core/schema.js';
import { fitsPlainly } from '../core/schema-plain.js';
import type { Tool } from '../core/tool.js';

export type Prepared =
  | {
      readonly type: 'ready';
      /** Among the calls of the reply. */
      readonly at: number;
      readonly call: ToolCall;
      readonly tool: Tool;
      readonly args: JsonObject;
    }
  | {
      readonly type: 'no';
      readonly at: number;
      readonly call: ToolCall;
      /** Undefined if no such tool is offered. */
      readonly tool: Tool | undefined;
      /** For a person, in a line. */
      readonly reason: string;
      readonly text: string;
      /** It is no call at all: nothing could have been executed, whatever the tools allow. */
      readonly broken: boolean;
    };

/** @param withheld tools of this step that this round does not offer */
export async function prepare(
  call: ToolCall,
  at: number,
  tools: readonly Tool[],
  resolve: Tool | undefined,
  withheld: readonly Tool[] = [],
): Promise<Prepared> {
  const last = resolve ? [resolve] : [];
  const tool = [...last, ...tools].find((one) => one.spec.name === call.name);
  const no = (text: string, broken = false, reason = text): Prepared => ({
    type: 'no',
    at,
    call,
    tool,
    text,
    reason,
    broken,
  });
  if (!tool && resolve && withheld.some((one) => one.spec.name === call.name)) {
    const reason = `${call.name} was called, but the last round takes only ${resolve.spec.name}`;
    return no(`${reason}; nothing was executed.`, false, reason);
  }
  if (!tool) {
    const known = [...tools, ...last].map((one) => one.spec.name).join(', ');
    const reason = `"${call.name}" is not a tool of this step`;
    return no(`${reason}; nothing was executed. Its tools are: ${known || 'none'}.`, true, reason);
  }
  const parsed = parseArguments(call.arguments);
  if ('problem' in parsed) {
    const parameters = JSON.stringify(tool.spec.parameters);
    return no(
      `the arguments of ${call.name} are not valid JSON: ${parsed.problem}. Nothing was executed. Call it again with one JSON object that matches ${parameters}`,
      true,
      `its arguments are not valid JSON: ${parsed.problem}`,
    );
  }
  if (tool === resolve) return { type: 'ready', at, call, tool, args: parsed.args };
  const { parameters } = tool.spec;
  if (fitsPlainly(parameters, parsed.args)) return { type: 'ready', at, call, tool, args: parsed.args };
  const problems = (await compileSchema(parameters))(parsed.args);
  if (problems.length > 0) {
    const lines = problems.map((one) => `${one.path === '' ? 'arguments' : one.path}: ${one.message}`);
    return no(
      `the arguments of ${call.name} do not match its parameters; nothing was executed.\n- ${lines.join('\n- ')}`,
      false,
      `its arguments do not fit: ${lines.join('; ')}`,
    );
  }
  return { type: 'ready', at, call, tool, args: parsed.args };
}

/** Never repaired: what is not JSON is said back. Nothing at all stands for no arguments. */
function parseArguments(text: string): { readonly args: JsonObject } | { readonly problem: string } {
  if (text.trim() === '') return { args: {} };
  try {
    const value = parseJson(text);
    return isObject(value) ? { args: value } : { problem: 'they are not an object' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
