/** The loop of a sub-agent: ask the model, perform its calls, give it the results, until `resolve` is accepted. */
import type { StepContext } from '../core/context.js';
import { beginningOf } from '../core/excerpt.js';
import { Fault, toFault } from '../core/faults.js';
import type { Message } from '../core/model.js';
import { headTokens } from '../core/token-estimate.js';
import type { Tool } from '../core/tool.js';
import { counted } from '../core/words.js';
import type { Agent, Answer } from './agent.js';
import type { Asked } from './call.js';
import { contextWindow } from './context-window.js';
import type { GuardState } from './guards.js';
import { openRounds, refuseStopped, tellUntold } from './rounds.js';
import { takeUp } from './talk.js';
import { takeTurn } from './turn.js';

export async function runAgent(agent: Agent, context: StepContext): Promise<Answer> {
  const talk = takeUp(agent, context);
  await tellUntold(talk, context);
  if (talk.resolved) return { value: talk.resolved.value, rounds: talk.rounds, reads: talk.reads };
  refuseStopped(talk, context);
  const [offers, last] = [offerOf([...agent.tools, agent.resolve]), offerOf([agent.resolve])];
  const rounds = openRounds(talk, agent, offers, context);
  const { line, file } = rounds;
  const window = contextWindow(talk, headTokens({ system: agent.system, tools: offers.tools }), file, context);
  let guards = talk.guards;
  try {
    for (let round = talk.rounds + 1; round <= talk.maxRounds; round++) {
      const left = talk.maxRounds - round;
      const ask = () =>
        rounds.ask(round, { system: agent.system, messages: [...window.messages()], ...(left === 0 ? last : offers) });
      const askWithRoom = async () => {
        await window.makeRoom(line.current());
        return ask().catch(async (error) => {
          if (await window.makesRoomAfter(error)) return ask();
          throw error;
        });
      };
      const asking = talk.open?.round === round ? await rounds.goOn(talk.open) : await askWithRoom();
      const { reply, ledger } = asking;
      const place = { round, left, ledger };
      const took = await asking.take(() => takeTurn(agent, reply, guards, place, context));
      guards = took.guards;
      talk.reads.push(...took.reads);
      window.add(took.messages, reply.usage);
      await asking.settle(took.messages, {
        round,
        guards,
        reads: took.reads,
        ...(left === 0 ? { last: true } : {}),
        ...(took.resolved ? { resolved: took.resolved } : {}),
        ...(took.stop ? { stopped: toFault(took.stop.error) } : {}),
      });
      if (took.stop) throw took.stop.error;
      if (talk.open?.round === round && talk.said && !took.resolved) {
        file.note({}, talk.said);
        window.add([talk.said], undefined);
      }
      if (took.resolved) return { value: took.resolved.value, rounds: round, reads: talk.reads };
    }
  } finally {
    await rounds.close();
  }
  throw outOfRounds(talk.maxRounds, agent.resolve.spec.name, guards, window.messages());
}

/** An agent that has nothing else to call must resolve. */
function offerOf(tools: readonly Tool[]): Pick<Asked, 'tools' | 'toolChoice'> {
  return { tools: tools.map(({ spec }) => spec), toolChoice: tools.length === 1 ? 'required' : 'auto' };
}

function outOfRounds(maxRounds: number, resolve: string, guards: GuardState, messages: readonly Message[]): Fault {
  const last = messages.findLast((message) => message.role === 'tool' && message.name === resolve);
  if (guards.refused && last?.role === 'tool') {
    return new Fault(
      'agent.schema',
      `after ${counted(maxRounds, 'round')} no answer was accepted; the last one: ${beginningOf(last.text, 600)}`,
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
