/** From the calls of one turn to their results: allow-list, arguments, reads together, effects one by one. */

import fs from 'node:fs';
import { cutTo } from '../core/columns.js';
import type { StepContext } from '../core/context.js';
import { type Json, type JsonObject, never, sha256 } from '../core/json.js';
import type { Message, ToolCall } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { type Ledger, NOT_BEGUN, UNKNOWN_OUTCOME } from './ledger.js';
import { type Prepared, prepare } from './prepare.js';
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
  /** Tools of the step that this round does not offer. */
  readonly withheld?: readonly Tool[];
}

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
  { round, ledger, withheld }: Place,
  context: StepContext,
): Promise<Turn> {
  const prepared = await Promise.all(calls.map((call, at) => prepare(call, at, tools, resolve, withheld)));
  const { earlier } = ledger;
  const made: Progress = {
    results: new Map(earlier?.results),
    reads: new Map(),
    resolved: undefined,
  };
  for (const one of prepared) {
    if (one.type !== 'no' || made.results.has(one.at)) continue;
    // In a conversation a person looks on; a step has its transcript.
    if ((!one.tool || !resolve) && !earlier) await refuse(one, round, context);
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
  let isUnknown = false;
  const effect = async (one: Ready) => {
    if (isUnknown || earlier?.begun.has(one.at)) {
      made.results.set(one.at, failed(one.call, isUnknown ? NOT_BEGUN : UNKNOWN_OUTCOME));
      if (!isUnknown) await tellUnknown(one, round, context);
      isUnknown = true;
      return;
    }
    const { path } = context;
    // Two files, one wait for the disk.
    await Promise.all([
      context.emit({ type: 'tool_started', path, round, call: one.at, name: one.call.name, ...targetOf(one) }),
      ledger.begins(one.at, made.results, made.reads),
    ]);
    await perform(one);
  };
  for (const together of runsOf(ready.filter((one) => !isLast(one)))) {
    if (together[0].tool.effect === 'none') await Promise.all(together.map(perform));
    else await effect(together[0]);
  }
  for (const one of ready.filter(isLast)) await perform(one);
  const results = prepared.map((one) => made.results.get(one.at) ?? failed(one.call, LOST));
  const refusals = prepared.flatMap((one) => {
    const said = results[one.at];
    return resolve && one.tool === resolve && said?.role === 'tool' && said.error ? [said.text] : [];
  });
  const allBroken = prepared.length > 0 && prepared.every((one) => one.type === 'no' && one.broken);
  const own = [...made.reads].sort(([a], [b]) => a - b).map(([, read]) => read);
  const reads = [...(earlier?.reads ?? []), ...own];
  return { results, refusals, allBroken, reads, ...(made.resolved ? { resolved: made.resolved } : {}) };
}

/** In the order of the calls: neighbours that only look go together, an effect goes alone, so that what comes behind it sees it. */
function runsOf(ready: readonly Ready[]): (readonly [Ready, ...Ready[]])[] {
  const runs: [Ready, ...Ready[]][] = [];
  for (const one of ready) {
    const last = runs.at(-1);
    if (last && last[0].tool.effect === 'none' && one.tool.effect === 'none') last.push(one);
    else runs.push([one]);
  }
  return runs;
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

async function refuse(
  { call, reason }: Extract<Prepared, { type: 'no' }>,
  round: number,
  { path, emit }: StepContext,
): Promise<void> {
  await emit({ type: 'tool_refused', path, round, name: call.name, reason });
}

/** How the notice of a call begins that was cut off. */
export const NOBODY_KNOWS = 'nobody knows how the call';

async function tellUnknown({ call }: Ready, round: number, { path, emit }: StepContext): Promise<void> {
  const text = `${NOBODY_KNOWS} of ${call.name} in round ${round} ended: the run was interrupted during it, and its model is told so`;
  await emit({ type: 'step_notice', path, text });
}

/** A path is whole in nearly every case. */
const MOST_TARGET_COLUMNS = 200;

const LOST = 'Error: the call was not executed';

function hashOf(file: string): string {
  try {
    return sha256(fs.readFileSync(file));
  } catch {
    return 'missing';
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
