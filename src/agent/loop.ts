/** The loop of a sub-agent: ask the model, perform its calls, give it the results, until `resolve` is accepted. */
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Message } from '../core/model.js';
import type { Tool } from '../core/tool.js';
import { counted } from '../core/words.js';
import type { Agent, Answer } from './agent.js';
import { type Asked, callModel } from './call.js';
import { contextWindow } from './context-window.js';
import type { GuardState } from './guards.js';
import { modelLine } from './model-line.js';
import { takeUp } from './talk.js';
import { type Head, writeTranscript } from './transcript.js';
import { takeTurn } from './turn.js';

export async function runAgent(agent: Agent, context: StepContext): Promise<Answer> {
  const talk = takeUp(agent, context);
  if (talk.resolved) return { value: talk.resolved.value, rounds: talk.rounds, reads: talk.reads };
  const line = modelLine(agent.model, agent.fallback, agent.pickFallback);
  const file = writeTranscript(agent.transcript);
  const window = contextWindow(talk, file, context);
  const [offers, last] = [offerOf([...agent.tools, agent.resolve]), offerOf([agent.resolve])];
  let guards = talk.guards;
  try {
    if (talk.isNew) file.begin(headOf(agent, context), talk.messages[0] as Message);
    if (talk.said) file.turn({ maxRounds: talk.maxRounds }, talk.said);
    for (let round = talk.rounds + 1; round <= talk.maxRounds; round++) {
      const begun = context.clock.now();
      const isLast = round === talk.maxRounds;
      const offer = isLast ? last : offers;
      const ask = () => {
        const asked = { system: agent.system, messages: [...window.messages()], ...offer };
        return callModel(asked, line, agent.system.length + window.characters(), agent.idleTimeoutMs, context);
      };
      await window.makeRoom(line.current());
      const { reply, model, spent } = await ask().catch(async (error) => {
        if (await window.makesRoomAfter(error)) return ask();
        throw error;
      });
      const took = await takeTurn(agent, reply, guards, { round, left: talk.maxRounds - round }, context);
      guards = took.guards;
      talk.reads.push(...took.reads);
      window.add(took.messages, reply.usage);
      file.round(took.messages, {
        round,
        guards,
        reads: took.reads,
        finish: reply.finish,
        ...(reply.usage ? { usage: reply.usage } : {}),
        ...(isLast ? { last: true } : {}),
        ...(took.resolved ? { resolved: took.resolved } : {}),
      });
      const calls = reply.calls.map((call) => call.name);
      const ms = context.clock.now() - begun;
      await context.emit({ type: 'round', path: context.path, round, calls, model: model.label, ms, ...spent });
      took.stop?.();
      if (took.resolved) return { value: took.resolved.value, rounds: round, reads: talk.reads };
    }
  } finally {
    file.close();
  }
  throw outOfRounds(talk.maxRounds, agent.resolve.spec.name, guards, window.messages());
}

/** An agent that has nothing else to call must resolve. */
function offerOf(tools: readonly Tool[]): Pick<Asked, 'tools' | 'toolChoice'> {
  return { tools: tools.map(({ spec }) => spec), toolChoice: tools.length === 1 ? 'required' : 'auto' };
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

function outOfRounds(maxRounds: number, resolve: string, guards: GuardState, messages: readonly Message[]): Fault {
  const last = messages.findLast((message) => message.role === 'tool' && message.name === resolve);
  if (guards.refused && last?.role === 'tool') {
    return new Fault(
      'agent.schema',
      `after ${counted(maxRounds, 'round')} no answer was accepted; the last one: ${last.text.slice(0, 600)}`,
      {
        hint: 'Make the schema or the asserts easier to satisfy, say in the instructions what they ask for, or raise max_rounds.',
      },
    );
  }
  return new Fault(
    'agent.rounds',
    `the agent used ${maxRounds === 1 ? 'its one round' : `all of its ${maxRounds} rounds`} without calling resolve`,
    {
      hint: 'Raise max_rounds, or give the step less to do.',
    },
  );
}
