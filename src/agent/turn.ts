/** One turn of an agent: from the reply to the messages that answer it, watched by the guards. */
import type { StepContext } from '../core/context.js';
import type { Json } from '../core/json.js';
import type { Message, ModelReply } from '../core/model.js';
import type { Agent } from './agent.js';
import { dispatch, type Place, type Turn } from './dispatch.js';
import {
  countBrokenArguments,
  countTextOnly,
  countTruncated,
  type GuardState,
  LOOP_WARNING,
  REMINDER,
  watchLoop,
} from './guards.js';
import { refusedBy, saidBy } from './rounds.js';

const NOTICE_AT = 3;
const BUDGET_NOTICE_SHARE = 0.8;

export interface Took {
  readonly messages: readonly Message[];
  readonly guards: GuardState;
  readonly reads: Turn['reads'];
  readonly resolved?: { readonly value: Json };
  /** What a guard threw: thrown again when the round is on disk. */
  readonly stop?: { readonly error: unknown };
}

export async function takeTurn(
  agent: Agent,
  reply: ModelReply,
  before: GuardState,
  { left, ...place }: Place & { readonly left: number },
  context: StepContext,
): Promise<Took> {
  const took = await answerTo(reply, agent, before, { left, ...place }, context);
  const budget = took.resolved || took.guards.toldBudget ? undefined : budgetNotice(context);
  if (!budget) return took;
  return { ...took, messages: [...took.messages, budget], guards: { ...took.guards, toldBudget: true } };
}

async function answerTo(
  reply: ModelReply,
  agent: Agent,
  before: GuardState,
  { left, ...place }: Place & { readonly left: number },
  context: StepContext,
): Promise<Took> {
  const said = saidBy(reply);
  if (reply.finish === 'refusal' && reply.calls.length === 0) {
    return { messages: [said], reads: [], guards: before, stop: { error: refusedBy(reply) } };
  }
  const guarded = guard(before, (state) => countTruncated(state, reply));
  if (reply.finish === 'length') return { messages: [said, ...cutOff(reply)], reads: [], ...guarded };
  if (reply.calls.length === 0) {
    const textOnly = guard(guarded.guards, (state) => countTextOnly({ ...state, refused: false }, reply.text));
    return { messages: [said, { role: 'user', text: REMINDER }], reads: [], ...textOnly };
  }
  // A round that was asked for with tools is taken to its end with them.
  const isLast = left === 0 && !place.ledger.earlier;
  const [tools, withheld] = isLast ? [[], agent.tools] : [agent.tools, []];
  const turn = await dispatch(reply.calls, tools, agent.resolve, { ...place, withheld }, context);
  if (turn.resolved) {
    return { messages: [said, ...turn.results], guards: guarded.guards, reads: turn.reads, resolved: turn.resolved };
  }
  const refused = turn.refusals.length > 0;
  if (refused) {
    await context.emit({ type: 'answer_refused', path: context.path, round: place.round, problems: turn.refusals });
  }
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
  const notes = [...(warn ? [LOOP_WARNING] : []), ...(left === NOTICE_AT ? [noticeOf(left)] : [])];
  const nudge: Message[] = notes.length > 0 ? [{ role: 'user', text: notes.join('\n') }] : [];
  return { messages: [said, ...turn.results, ...nudge], reads: turn.reads, ...watched };
}

/** A guard's fault is thrown only when the round that brought it is on disk. */
function guard(state: GuardState, count: (state: GuardState) => GuardState): Pick<Took, 'guards' | 'stop'> {
  try {
    return { guards: count(state) };
  } catch (error) {
    return { guards: state, stop: { error } };
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

/** Said once, when most of what the step or the run may use is used. */
function budgetNotice({ budget }: StepContext): Message | undefined {
  const { share, of } = budget.nearest();
  if (share < BUDGET_NOTICE_SHARE) return undefined;
  const text = `${Math.floor(share * 100)} % of what ${of} may use is used. Come to an end and call resolve.`;
  return { role: 'user', aside: true, text };
}
