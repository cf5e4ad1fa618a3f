/** From the calls of one turn to their results: allow-list, arguments, reads together, effects one by one. */

import fs from 'node:fs';
import { cutTo } from '../core/columns.js';
import type { StepContext } from '../core/context.js';
import { isObject, type Json, type JsonObject, never, parseJson, sha256 } from '../core/json.js';
import type { Message, ToolCall } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import { compileSchema } from '../core/schema.js';
import { fitsPlainly } from '../core/schema-plain.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { type Ledger, NOT_BEGUN, UNKNOWN_OUTCOME } from './ledger.js';
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
  readonly ledger: Ledger;
}

type Prepared =
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
      /** Undefined if it has no such tool. */
      readonly tool: Tool | undefined;
      readonly text: string;
      /** It is no call at all: nothing could have been executed, whatever the tools allow. */
      readonly broken: boolean;
    };

type Ready = Extract<Prepared, { type: 'ready' }>;

/** What has become of the calls so far. */
interface Progress {
  /** By the index of the call. */
  readonly results: Map<number, Message>;
  /** By the index of the call: reads end in any order. */
  readonly reads: Map<number, Turn['reads'][number]>;
  resolved: { readonly value: Json } | undefined;
}

/** @param resolve takes the answer; it is known by being this one, and no tool can take its name. Undefined where an answer is no call */
export async function dispatch(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  resolve: Tool | undefined,
  { round, ledger }: Place,
  context: StepContext,
): Promise<Turn> {
  const prepared = await Promise.all(calls.map((call, at) => prepare(call, at, tools, resolve)));
  const { earlier } = ledger;
  const made: Progress = {
    results: new Map(earlier?.results),
    reads: new Map(),
    resolved: undefined,
  };
  const readsSoFar = () => [
    ...(earlier?.reads ?? []),
    ...[...made.reads].sort(([a], [b]) => a - b).map(([, read]) => read),
  ];
  for (const one of prepared) {
    if (one.type !== 'no') continue;
    if (!one.tool && !earlier) await refuse(one, round, context);
    made.results.set(one.at, messageOf(one, { type: 'error', text: one.text }, round, context, made));
  }
  const perform = async (one: Ready) => {
    const begun = context.clock.now();
    const result = await execute(one.tool, one.args, context);
    const message = messageOf(one, result, round, context, made);
    made.results.set(one.at, message);
    if (one.tool.effect !== 'none') ledger.ended(one.at, message);
    await context.emit({
      type: 'tool',
      path: context.path,
      round,
      call: one.at,
      name: one.call.name,
      ok: result.type !== 'error',
      ms: context.clock.now() - begun,
      ...targetOf(one),
    });
  };
  const isDue = (one: Prepared): one is Ready => one.type === 'ready' && !made.results.has(one.at);
  const ready = prepared.filter(isDue);
  const isLast = (one: Ready) => one.tool === resolve;
  await Promise.all(ready.filter((one) => !isLast(one) && one.tool.effect === 'none').map(perform));
  let isUnknown = false;
  for (const one of ready.filter((each) => !isLast(each) && each.tool.effect !== 'none')) {
    if (isUnknown || earlier?.begun.has(one.at)) {
      made.results.set(one.at, failed(one.call, isUnknown ? NOT_BEGUN : UNKNOWN_OUTCOME));
      if (!isUnknown) await tellUnknown(one, round, context);
      isUnknown = true;
      continue;
    }
    await context.emit({
      type: 'tool_started',
      path: context.path,
      round,
      call: one.at,
      name: one.call.name,
      ...targetOf(one),
    });
    await ledger.begins(one.at, made.results, readsSoFar());
    await perform(one);
  }
  for (const one of ready.filter(isLast)) await perform(one);
  const results = prepared.map((one) => made.results.get(one.at) ?? failed(one.call, LOST));
  const refusals = prepared.flatMap((one) => {
    const said = results[one.at];
    return resolve && one.tool === resolve && said?.role === 'tool' && said.error ? [said.text] : [];
  });
  const allBroken = prepared.length > 0 && prepared.every((one) => one.type === 'no' && one.broken);
  return { results, refusals, allBroken, reads: readsSoFar(), ...(made.resolved ? { resolved: made.resolved } : {}) };
}

/** The result as the model gets it; what it says beside its text is noted in `made`. */
function messageOf(
  { call, at }: Prepared,
  result: ToolResult,
  round: number,
  { folders, redact }: StepContext,
  made: Progress,
): Message {
  // Before it is cut: a secret on the edge would be half of one.
  const bounded = (text: string) =>
    boundResult(redact(text), resultPath(`r${round}-${at + 1}`, call.name), folders.work);
  switch (result.type) {
    case 'resolved':
      made.resolved = { value: result.value };
      return { ...headOf(call), text: 'accepted', error: false };
    case 'error':
      return failed(call, bounded(`Error: ${result.text}`));
    case 'text':
      if (result.read !== undefined) made.reads.set(at, { file: result.read, sha256: hashOf(result.read) });
      return { ...headOf(call), text: bounded(result.text), error: false };
    default:
      return never(result);
  }
}

const headOf = (call: ToolCall) => ({ role: 'tool' as const, callId: call.id, name: call.name });

const failed = (call: ToolCall, text: string): Message => ({ ...headOf(call), text, error: true });

/** What a person reads of the arguments. */
function targetOf({ args }: Ready): { readonly target?: string } {
  const said = [args.path, args.command].find((one) => typeof one === 'string');
  return said === undefined ? {} : { target: cutTo(oneLine(said), MOST_TARGET_COLUMNS) };
}

async function refuse({ call }: Prepared, round: number, { path, emit }: StepContext): Promise<void> {
  await emit({ type: 'tool_refused', path, round, name: call.name, reason: noToolOf(call) });
}

async function tellUnknown({ call }: Ready, round: number, { path, emit }: StepContext): Promise<void> {
  const text = `nobody knows how the call of ${call.name} in round ${round} ended: the run was interrupted during it, and its model is told so`;
  await emit({ type: 'step_notice', path, text });
}

/** A path is whole in nearly every case. */
const MOST_TARGET_COLUMNS = 200;

const LOST = 'Error: the call was not executed';

const noToolOf = (call: ToolCall) => `"${call.name}" is not a tool of this step`;

function hashOf(file: string): string {
  try {
    return sha256(fs.readFileSync(file));
  } catch {
    return 'missing';
  }
}

async function prepare(
  call: ToolCall,
  at: number,
  tools: readonly Tool[],
  resolve: Tool | undefined,
): Promise<Prepared> {
  const last = resolve ? [resolve] : [];
  const tool = [...last, ...tools].find((one) => one.spec.name === call.name);
  const no = (text: string, broken = false): Prepared => ({ type: 'no', at, call, tool, text, broken });
  if (!tool) {
    const known = [...tools, ...last].map((one) => one.spec.name).join(', ');
    return no(`${noToolOf(call)}; nothing was executed. Its tools are: ${known || 'none'}.`, true);
  }
  const parsed = parseArguments(call.arguments);
  if ('problem' in parsed) {
    const parameters = JSON.stringify(tool.spec.parameters);
    return no(
      `the arguments of ${call.name} are not valid JSON: ${parsed.problem}. Nothing was executed. Call it again with one JSON object that matches ${parameters}`,
      true,
    );
  }
  if (tool === resolve) return { type: 'ready', at, call, tool, args: parsed.args };
  const { parameters } = tool.spec;
  if (fitsPlainly(parameters, parsed.args)) return { type: 'ready', at, call, tool, args: parsed.args };
  const problems = (await compileSchema(parameters))(parsed.args);
  if (problems.length > 0) {
    const lines = problems.map((one) => `- ${one.path === '' ? 'arguments' : one.path}: ${one.message}`);
    return no(`the arguments of ${call.name} do not match its parameters; nothing was executed.\n${lines.join('\n')}`);
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
