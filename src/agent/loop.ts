/** The loop of a sub-agent: ask the model, perform its calls, give it the results, until `resolve` is accepted. */
import fs from 'node:fs';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { ChosenModel, Message, ModelReply, ModelRequest } from '../core/model.js';
import type { Tool } from '../core/tool.js';
import { counted } from '../core/words.js';
import { callModel } from './call.js';
import { dispatch, type Turn } from './dispatch.js';
import {
  countBrokenArguments,
  countTextOnly,
  countTruncated,
  FRESH,
  type GuardState,
  LOOP_WARNING,
  REMINDER,
  watchLoop,
} from './guards.js';
import { type Head, readTranscript, writeTranscript } from './transcript.js';

export interface Agent {
  readonly system: string;
  readonly prompt: string;
  /** What it may call, `resolve` not among them. */
  readonly tools: readonly Tool[];
  readonly resolve: Tool;
  readonly model: ChosenModel;
  /** By which the model was picked, and the parameters that it had then. */
  readonly role: string;
  readonly roleParameters: JsonObject;
  readonly maxRounds: number;
  /** Repetitions that stop it; 0 for no such guard. */
  readonly deadLoopWindow: number;
  readonly idleTimeoutMs: number;
  /** A transcript with this key is gone on with. */
  readonly key: string;
  /** Absolute path of transcript.ndjson. */
  readonly transcript: string;
}

export interface Answer {
  readonly value: Json;
  readonly rounds: number;
  readonly reads: readonly { readonly file: string; readonly sha256: string }[];
}

const NOTICE_AT = 3;

export async function runAgent(agent: Agent, context: StepContext): Promise<Answer> {
  const before = readTranscript(agent.transcript, agent.key);
  if (!before) fs.rmSync(agent.transcript, { force: true });
  const messages: Message[] = before ? [...before.messages] : [{ role: 'user', text: agent.prompt }];
  let guards: GuardState = before?.guards ?? FRESH;
  const reads: Answer['reads'][number][] = [...(before?.reads ?? [])];
  if (before?.resolved) return { value: before.resolved.value, rounds: before.rounds, reads };
  const file = writeTranscript(agent.transcript);
  try {
    if (!before) file.begin(headOf(agent, context), messages[0] as Message);
    let characters = messages.reduce((sum, message) => sum + lengthOf(message), agent.system.length);
    for (let round = (before?.rounds ?? 0) + 1; round <= agent.maxRounds; round++) {
      const begun = context.clock.now();
      const { reply, estimatedTokens } = await callModel(
        requestOf(agent, messages, round),
        agent.model,
        characters,
        agent.idleTimeoutMs,
        context,
      );
      const took = await takeTurn(agent, reply, guards, round, context);
      guards = took.guards;
      reads.push(...took.reads);
      messages.push(...took.messages);
      characters += took.messages.reduce((sum, message) => sum + lengthOf(message), 0);
      file.round(took.messages, {
        round,
        guards,
        reads: took.reads,
        finish: reply.finish,
        ...(reply.usage ? { usage: reply.usage } : {}),
        ...(round === agent.maxRounds ? { last: true } : {}),
        ...(took.resolved ? { resolved: took.resolved } : {}),
      });
      await context.emit({
        type: 'round',
        path: context.path,
        round,
        calls: reply.calls.map((call) => call.name),
        model: agent.model.label,
        ms: context.clock.now() - begun,
        ...(reply.usage ? { usage: reply.usage } : { estimatedTokens }),
      });
      took.stop?.();
      if (took.resolved) return { value: took.resolved.value, rounds: round, reads };
    }
  } finally {
    file.close();
  }
  throw outOfRounds(agent, guards, messages);
}

function requestOf(agent: Agent, messages: readonly Message[], round: number): ModelRequest {
  const last = round === agent.maxRounds;
  return {
    model: agent.model.model,
    system: agent.system,
    messages: [...messages],
    tools: (last ? [agent.resolve] : [...agent.tools, agent.resolve]).map((tool) => tool.spec),
    toolChoice: last || agent.tools.length === 0 ? 'required' : 'auto',
    parameters: agent.model.parameters,
  };
}

/** All that its requests have in common. */
function headOf(agent: Agent, { folders }: StepContext): Head {
  const { key, system, model, role, tools, resolve } = agent;
  const asks = {
    role,
    model: model.model,
    host: model.host,
    roleParameters: agent.roleParameters,
    placeholder: model.placeholder,
    parameters: model.parameters,
    tools: [...tools, resolve].map((tool) => tool.spec),
    toolChoice: tools.length === 0 ? ('required' as const) : ('auto' as const),
    folders: { step: folders.step, skill: folders.skill, project: folders.project },
  };
  return { key, model: model.label, system, asks };
}

interface Took {
  readonly messages: readonly Message[];
  readonly guards: GuardState;
  readonly reads: Turn['reads'];
  readonly resolved?: { readonly value: Json };
  /** Throws the fault of a guard, after the round is on disk. */
  readonly stop?: () => void;
}

async function takeTurn(
  agent: Agent,
  reply: ModelReply,
  before: GuardState,
  round: number,
  context: StepContext,
): Promise<Took> {
  if (reply.finish === 'refusal' && reply.calls.length === 0) {
    throw new Fault('agent.refusal', `the model refused: ${reply.text.slice(0, 300)}`);
  }
  const said: Message = {
    role: 'assistant',
    text: reply.text,
    calls: reply.calls,
    ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
    ...(reply.blocks === undefined ? {} : { blocks: reply.blocks }),
  };
  const guarded = guard(before, (state) => countTruncated(state, reply));
  if (reply.finish === 'length') return { messages: [said, ...cutOff(reply)], reads: [], ...guarded };
  if (reply.calls.length === 0) {
    const textOnly = guard(guarded.guards, (state) => countTextOnly({ ...state, refused: false }, reply.text));
    return { messages: [said, { role: 'user', text: REMINDER }], reads: [], ...textOnly };
  }
  const tools = round === agent.maxRounds ? [] : agent.tools;
  const turn = await dispatch(reply.calls, tools, agent.resolve, round, context);
  if (turn.resolved) {
    return { messages: [said, ...turn.results], guards: guarded.guards, reads: turn.reads, resolved: turn.resolved };
  }
  const refused = turn.refusals.length > 0;
  if (refused) await context.emit({ type: 'answer_refused', path: context.path, round, problems: turn.refusals });
  let warn = false;
  const watched = guard({ ...guarded.guards, refused }, (state) => {
    const looked = watchLoop(
      countBrokenArguments(state, turn.allBroken),
      reply.calls,
      turn.results,
      agent.deadLoopWindow,
    );
    warn = looked.warn;
    return looked.state;
  });
  const left = agent.maxRounds - round;
  const notes = [...(warn ? [LOOP_WARNING] : []), ...(left === NOTICE_AT ? [noticeOf(left)] : [])];
  const nudge: Message[] = notes.length > 0 ? [{ role: 'user', text: notes.join('\n') }] : [];
  return { messages: [said, ...turn.results, ...nudge], reads: turn.reads, ...watched };
}

/** A guard's fault is thrown only when the round that brought it is on disk. */
function guard(state: GuardState, count: (state: GuardState) => GuardState): { guards: GuardState; stop?: () => void } {
  try {
    return { guards: count(state) };
  } catch (error) {
    return {
      guards: state,
      stop: () => {
        throw error;
      },
    };
  }
}

function cutOff(reply: ModelReply): Message[] {
  const why =
    'the answer was cut off at the length limit, so nothing of it was executed. Answer more briefly, or in smaller pieces.';
  if (reply.calls.length === 0) return [{ role: 'user', text: `Your answer was cut off: ${why}` }];
  return reply.calls.map((call) => ({
    role: 'tool',
    callId: call.id,
    name: call.name,
    text: `Error: ${why}`,
    error: true,
  }));
}

function noticeOf(left: number): string {
  return `${left} rounds are left. Come to an end and call resolve; the last round offers nothing else.`;
}

function outOfRounds(agent: Agent, guards: GuardState, messages: readonly Message[]): Fault {
  const last = messages.findLast((message) => message.role === 'tool' && message.name === agent.resolve.spec.name);
  if (guards.refused && last?.role === 'tool') {
    return new Fault(
      'agent.schema',
      `after ${counted(agent.maxRounds, 'round')} no answer was accepted; the last one: ${last.text.slice(0, 600)}`,
      {
        hint: 'Make the schema or the asserts easier to satisfy, say in the instructions what they ask for, or raise max_rounds.',
      },
    );
  }
  return new Fault(
    'agent.rounds',
    `the agent used ${agent.maxRounds === 1 ? 'its one round' : `all of its ${agent.maxRounds} rounds`} without calling resolve`,
    {
      hint: 'Raise max_rounds, or give the step less to do.',
    },
  );
}

function lengthOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  return message.text.length + message.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}
