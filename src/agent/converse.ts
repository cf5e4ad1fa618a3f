/** A conversation that ends when the model answers without a call. Its history holds whole rounds: each call has exactly one result, also after a cancel. */
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Message, ModelReply, ToolCall } from '../core/model.js';
import type { Tool } from '../core/tool.js';
import { counted } from '../core/words.js';
import { type Answered, type Asked, callModel } from './call.js';
import type { ContextWindow } from './context-window.js';
import { dispatch, type Turn } from './dispatch.js';
import { countBrokenArguments, countTruncated, FRESH, type GuardState, watchLoop } from './guards.js';
import type { Ledger } from './ledger.js';
import type { ModelLine } from './model-line.js';
import { saidBy } from './rounds.js';

export interface Conversation {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly line: ModelLine;
  /** What is said so far; a round is added whole. */
  readonly history: ContextWindow;
  /** Model calls at most, for one answer. */
  readonly maxRounds: number;
  /** Repetitions that stop it; 0 for no such guard. */
  readonly deadLoopWindow: number;
  readonly idleTimeoutMs: number;
  /** Rounds that came before in the same work folder: long results are files there, which bear the number of their round. */
  readonly roundsBefore?: number;
  /** Awaited before a call with an effect begins. @param known the results so far, by the index of the call */
  readonly onEffect?: (said: Message, call: number, known: ReadonlyMap<number, Message>) => Promise<void>;
}

export interface Said {
  /** `cut`: at the model's length limit. */
  readonly type: 'answered' | 'cut' | 'refused';
  readonly text: string;
  readonly rounds: number;
}

/** Throws what stopped it; the history is whole then, too. */
export async function converse(conversation: Conversation, context: StepContext): Promise<Said> {
  const { history, maxRounds, deadLoopWindow, roundsBefore = 0 } = conversation;
  let guards: GuardState = FRESH;
  for (let round = 1; round <= maxRounds; round++) {
    const { reply } = await ask(conversation, round, context);
    const said = saidBy(reply);
    if (reply.calls.length === 0) {
      history.add([said], reply.usage);
      return { type: ENDS[reply.finish], text: reply.text, rounds: round };
    }
    if (reply.finish === 'length') {
      history.add([said, ...reply.calls.map((call) => errorFor(call, CUT_OFF))], reply.usage);
      guards = countTruncated(guards, reply);
      continue;
    }
    const turn = await perform(reply, said, conversation, roundsBefore + round, context);
    const watched = watch(guards, () => {
      const state = countBrokenArguments({ ...guards, truncated: 0 }, turn.allBroken);
      return watchLoop(state, reply.calls, turn.results, deadLoopWindow);
    });
    const nudge: Message[] = watched.warn ? [{ role: 'user', text: LOOP_WARNING }] : [];
    history.add([said, ...turn.results, ...nudge], reply.usage);
    if (watched.fault) throw watched.fault;
    guards = watched.state;
  }
  throw new Fault('agent.rounds', `no answer came within ${counted(maxRounds, 'round')}`, {
    hint: 'Ask for less at once, or say "go on".',
  });
}

/** By why the model stopped. */
const ENDS = { stop: 'answered', calls: 'answered', length: 'cut', refusal: 'refused' } as const;

const CUT_OFF =
  'Error: the answer was cut off at the length limit, so nothing of it was executed. Answer more briefly, or in smaller pieces.';

const LOOP_WARNING =
  'You have made the same calls with the same results again. Once more and you are stopped. Do something else, or answer.';

/** What a call gets that was stopped while it was at work. */
const STOPPED =
  'Error: stopped by the person while it was at work. Nobody knows whether it took effect, wholly, in part or not at all. Look before you repeat it.';

async function ask(conversation: Conversation, round: number, context: StepContext): Promise<Answered> {
  const { system, tools, line, history, idleTimeoutMs } = conversation;
  const begun = context.clock.now();
  const offered: Pick<Asked, 'tools' | 'toolChoice'> = { tools: tools.map(({ spec }) => spec), toolChoice: 'auto' };
  const call = () => callModel({ system, messages: [...history.messages()], ...offered }, line, idleTimeoutMs, context);
  await history.makeRoom(line.current());
  const answered = await call().catch(async (error) => {
    if (await history.makesRoomAfter(error)) return call();
    throw error;
  });
  await context.emit({
    type: 'round',
    path: context.path,
    round,
    calls: answered.reply.calls.map(({ name }) => name),
    model: answered.model.label,
    ms: context.clock.now() - begun,
    ...answered.spent,
  });
  return answered;
}

/** If the calls are stopped on the way, the history has what became of each. */
async function perform(
  reply: ModelReply,
  said: Message,
  { tools, history, onEffect }: Conversation,
  round: number,
  context: StepContext,
): Promise<Turn> {
  const results = new Map<number, Message>();
  const begun = new Set<number>();
  const ledger: Ledger = {
    earlier: undefined,
    async begins(call, known) {
      for (const [at, result] of known) results.set(at, result);
      await onEffect?.(said, call, known);
      begun.add(call);
    },
    ended: (call, result) => void results.set(call, result),
  };
  try {
    return await dispatch(reply.calls, tools, undefined, { round, ledger }, context);
  } catch (error) {
    const lost = (at: number) => (begun.has(at) ? STOPPED : NOT_EXECUTED);
    history.add([said, ...withResults(reply.calls, results, lost)], reply.usage);
    throw error;
  }
}

const NOT_EXECUTED = 'Error: the person stopped you before this call had a result. Repeat it if it is still right.';

/** One result a call, in order. @param lost what a call without a result gets */
export function withResults(
  calls: readonly ToolCall[],
  results: ReadonlyMap<number, Message>,
  lost: (call: number) => string,
): Message[] {
  return calls.map((call, at) => results.get(at) ?? errorFor(call, lost(at)));
}

function errorFor({ id, name }: ToolCall, text: string): Message {
  return { role: 'tool', callId: id, name, text, error: true };
}

type Watched = ReturnType<typeof watchLoop> & { readonly fault?: unknown };

/** A guard's fault is thrown only when the round that brought it is in the history. */
function watch(before: GuardState, look: () => ReturnType<typeof watchLoop>): Watched {
  try {
    return look();
  } catch (fault) {
    return { state: before, warn: false, fault };
  }
}
