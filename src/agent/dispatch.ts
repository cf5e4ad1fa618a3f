/** From the calls of one turn to their results: allow-list, arguments, reads together, effects one by one. */

import fs from 'node:fs';
import type { StepContext } from '../core/context.js';
import { isObject, type Json, type JsonObject, never, parseJson, sha256 } from '../core/json.js';
import type { Message, ToolCall } from '../core/model.js';
import { compileSchema } from '../core/schema.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { boundResult, resultPath } from './results.js';

export interface Turn {
  /** One tool message a call, in the order of the calls. */
  readonly results: readonly Message[];
  /** The answer, if a `resolve` was accepted: of several the last. */
  readonly resolved?: { readonly value: Json };
  /** What was said to each answer that was refused. */
  readonly refusals: readonly string[];
  /** No call had a tool of this step, and arguments that are JSON. */
  readonly allBroken: boolean;
  /** Absolute paths of the files that were read, with their hashes as read. */
  readonly reads: readonly { readonly file: string; readonly sha256: string }[];
}

export interface Place {
  /** From 1. */
  readonly round: number;
  /** Awaited before a call that has an effect: what led to it must be on disk. */
  beforeEffects(): Promise<void>;
}

type Prepared =
  | { readonly type: 'ready'; readonly call: ToolCall; readonly tool: Tool; readonly args: JsonObject }
  | {
      readonly type: 'no';
      readonly call: ToolCall;
      /** Undefined if it has no such tool. */
      readonly tool: Tool | undefined;
      readonly text: string;
      /** It is no call at all: nothing could have been executed, whatever the tools allow. */
      readonly broken: boolean;
    };

/** @param resolve takes the answer; it is known by being this one, and no tool can take its name */
export async function dispatch(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  resolve: Tool,
  { round, beforeEffects }: Place,
  context: StepContext,
): Promise<Turn> {
  const prepared = await Promise.all(calls.map((call) => prepare(call, tools, resolve, round, context)));
  const outcomes = new Map<ToolCall, ToolResult>();
  const perform = async (one: Extract<Prepared, { type: 'ready' }>) => {
    const begun = context.clock.now();
    const result = await execute(one.tool, one.args, context);
    outcomes.set(one.call, result);
    const target = typeof one.args.path === 'string' ? one.args.path : undefined;
    await context.emit({
      type: 'tool',
      path: context.path,
      round,
      name: one.call.name,
      ok: result.type !== 'error',
      ms: context.clock.now() - begun,
      ...(target === undefined ? {} : { target }),
    });
  };
  const ready = prepared.filter((one) => one.type === 'ready');
  const isLast = (one: (typeof ready)[number]) => one.tool === resolve;
  await Promise.all(ready.filter((one) => !isLast(one) && one.tool.effect === 'none').map(perform));
  const effects = ready.filter((one) => !isLast(one) && one.tool.effect !== 'none');
  if (effects.length > 0) await beforeEffects();
  for (const one of effects) await perform(one);
  for (const one of ready.filter(isLast)) await perform(one);
  return summarise(prepared, outcomes, resolve, round, context);
}

function summarise(
  prepared: readonly Prepared[],
  outcomes: ReadonlyMap<ToolCall, ToolResult>,
  resolve: Tool,
  round: number,
  { folders, redact }: StepContext,
): Turn {
  let resolved: { value: Json } | undefined;
  const refusals: string[] = [];
  const reads: { file: string; sha256: string }[] = [];
  const results: Message[] = [];
  for (const [at, one] of prepared.entries()) {
    // Before it is cut: a secret on the edge would be half of one.
    const bounded = (text: string) =>
      boundResult(redact(text), resultPath(`r${round}-${at + 1}`, one.call.name), folders.work);
    const base = { role: 'tool' as const, callId: one.call.id, name: one.call.name };
    const result: ToolResult = one.type === 'no' ? { type: 'error', text: one.text } : (outcomes.get(one.call) ?? LOST);
    switch (result.type) {
      case 'resolved':
        resolved = { value: result.value };
        results.push({ ...base, text: 'accepted', error: false });
        break;
      case 'error':
        if (one.tool === resolve) refusals.push(`Error: ${result.text}`);
        results.push({ ...base, text: bounded(`Error: ${result.text}`), error: true });
        break;
      case 'text':
        if (result.read !== undefined) reads.push({ file: result.read, sha256: hashOf(result.read) });
        results.push({ ...base, text: bounded(result.text), error: false });
        break;
      default:
        never(result);
    }
  }
  const allBroken = prepared.length > 0 && prepared.every((one) => one.type === 'no' && one.broken);
  return { results, refusals, allBroken, reads, ...(resolved ? { resolved } : {}) };
}

const LOST: ToolResult = { type: 'error', text: 'the call was not executed' };

function hashOf(file: string): string {
  try {
    return sha256(fs.readFileSync(file));
  } catch {
    return 'missing';
  }
}

async function prepare(
  call: ToolCall,
  tools: readonly Tool[],
  resolve: Tool,
  round: number,
  context: StepContext,
): Promise<Prepared> {
  const tool = [resolve, ...tools].find((one) => one.spec.name === call.name);
  const no = (text: string, broken = false): Prepared => ({ type: 'no', call, tool, text, broken });
  if (!tool) {
    const known = [...tools, resolve].map((one) => one.spec.name).join(', ');
    const reason = `"${call.name}" is not a tool of this step`;
    await context.emit({ type: 'tool_refused', path: context.path, round, name: call.name, reason });
    return no(`${reason}; nothing was executed. Its tools are: ${known}.`, true);
  }
  const parsed = parseArguments(call.arguments);
  if ('problem' in parsed) {
    const parameters = JSON.stringify(tool.spec.parameters);
    return no(
      `the arguments of ${call.name} are not valid JSON: ${parsed.problem}. Nothing was executed. Call it again with one JSON object that matches ${parameters}`,
      true,
    );
  }
  if (tool === resolve) return { type: 'ready', call, tool, args: parsed.args };
  const problems = (await compileSchema(tool.spec.parameters))(parsed.args);
  if (problems.length > 0) {
    const lines = problems.map((one) => `- ${one.path === '' ? 'arguments' : one.path}: ${one.message}`);
    return no(`the arguments of ${call.name} do not match its parameters; nothing was executed.\n${lines.join('\n')}`);
  }
  return { type: 'ready', call, tool, args: parsed.args };
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

async function execute(tool: Tool, args: JsonObject, context: StepContext): Promise<ToolResult> {
  try {
    return await tool.execute(args, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return {
      type: 'error',
      text: `${tool.spec.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
