/** The rounds of a conversation: each is asked, written down, told. */
import { type Amount, NO_AMOUNT, type StepContext } from '../core/context.js';
import { beginningOf } from '../core/excerpt.js';
import { Fault } from '../core/faults.js';
import type { Message, ModelReply, ToolCall } from '../core/model.js';
import type { Conversing } from './agent.js';
import { type Asked, callModel, type Spent, tellLost } from './call.js';
import { type Ledger, type OpenRound, openLedger } from './ledger.js';
import { type ModelLine, modelLine } from './model-line.js';
import type { Talk } from './talk.js';
import type { Head, RoundEnd } from './transcript.js';
import { type TranscriptWriter, writeTranscript } from './transcript-writer.js';

export interface Rounds {
  readonly line: ModelLine;
  readonly file: TranscriptWriter;
  ask(round: number, asked: Asked): Promise<Asking>;
  /** A round that an earlier session asked for: its model is not asked again. */
  goOn(open: OpenRound): Promise<Asking>;
  /** Waits for the disk. */
  close(): Promise<void>;
}

export interface Asking {
  readonly reply: ModelReply;
  readonly ledger: Ledger;
  /** What is made of the reply: if it throws, the round never was, and its call is told as lost. */
  take<T>(work: () => Promise<T>): Promise<T>;
  settle(messages: readonly Message[], end: Omit<RoundEnd, 'finish' | 'usage'>): Promise<void>;
}

/** @param offers what the requests have in common */
export function openRounds(
  talk: Talk,
  conversing: Conversing,
  offers: Pick<Asked, 'tools' | 'toolChoice' | 'format'>,
  context: StepContext,
): Rounds {
  const line = modelLine(conversing.model, conversing.fallback, conversing.pickFallback);
  const file = writeTranscript(conversing.transcript, context.redact, context.clock);
  const [first] = talk.messages;
  if (talk.isNew && first) file.begin(headOf(conversing, offers, context), first);
  const said = talk.open ? undefined : talk.said;
  if (said || talk.maxRounds > talk.knownRounds) file.note({ maxRounds: talk.maxRounds }, said);
  const asking = (
    open: Pick<OpenRound, 'round' | 'reply' | 'model' | 'spent'>,
    begunMs: number,
    earlier: OpenRound | undefined,
  ): Asking => {
    const { reply, model, spent } = open;
    return {
      reply,
      ledger: openLedger(file, earlier),
      async take(work) {
        try {
          return await work();
        } catch (error) {
          if (spent && (await tellLost(spent, context))) noteCounted(file);
          throw error;
        }
      },
      async settle(messages, end) {
        const used = { ...(reply.usage ? { usage: reply.usage } : {}), ...(spent ? { spent } : {}) };
        file.round(messages, { ...end, finish: reply.finish, model, ...used });
        const ms = context.clock.now() - begunMs;
        await tellRound({ round: end.round, calls: reply.calls, model, ms, spent }, context);
      },
    };
  };
  return {
    line,
    file,
    close: file.close,
    async ask(round, asked) {
      const begun = context.clock.now();
      const { reply, model, spent } = await callModel(asked, line, conversing.idleTimeoutMs, context);
      const open = { round, reply, model: model.label, spent };
      file.reply(open);
      return asking(open, begun, undefined);
    },
    async goOn(open) {
      await count(open.spent, context);
      return asking(open, context.clock.now(), open);
    },
  };
}

/** Of a call that an earlier session made and no event tells of yet: what limits the run must count it now. */
async function count(spent: Spent | undefined, { budget, signal }: StepContext): Promise<void> {
  if (!spent) return;
  const reservation = await budget.reserve(NO_AMOUNT, signal);
  reservation.settle(amountIn(spent));
}

interface ToldRound {
  readonly round: number;
  readonly calls: readonly ToolCall[];
  readonly model: string;
  readonly ms: number;
  /** Undefined where the journal counted the call as lost when the round was cut off. */
  readonly spent: Spent | undefined;
}

function tellRound({ round, calls, model, ms, spent }: ToldRound, { path, emit }: StepContext): Promise<void> {
  const names = calls.map((call) => call.name);
  return emit({ type: 'round', path, round, calls: names, model, ms, ...(spent ?? { counted: true as const }) });
}

/** A kill between transcript and journal leaves a round that nobody counted: it is told when the conversation is taken up. */
export async function tellUntold({ last, messages }: Talk, context: StepContext): Promise<void> {
  if (!last || last.round <= (context.continues?.toldRounds ?? 0)) return;
  const said = messages.findLast((message) => message.role === 'assistant');
  const calls = said?.role === 'assistant' ? said.calls : [];
  await count(last.spent, context);
  await tellRound({ round: last.round, calls, model: last.model ?? '', ms: 0, spent: last.spent }, context);
}

/** Of a conversation that was stopped before the journal had it: only a person's word takes it beyond its guard, or a refusal. */
export function refuseStopped({ last }: Talk, { goesOn }: StepContext): void {
  if (last?.stopped && !goesOn) throw Fault.from(last.stopped);
}

/** What it is about is worse than what befalls this. */
function noteCounted(file: TranscriptWriter): void {
  try {
    file.counted();
  } catch {
    // The disk is full or gone: what stopped the round says so.
  }
}

function amountIn(spent: Spent): Amount {
  const tokens = 'usage' in spent ? spent.usage.inputTokens + spent.usage.outputTokens : spent.estimatedTokens;
  return { tokens, usd: spent.usd ?? 0 };
}

/** All that its requests have in common. */
function headOf(
  { key, system, model, role, roleParameters }: Conversing,
  offers: Pick<Asked, 'tools' | 'toolChoice' | 'format'>,
  { folders }: StepContext,
): Head {
  const asks = {
    role,
    model: model.model,
    host: model.host,
    roleParameters,
    placeholder: model.placeholder,
    parameters: model.parameters,
    ...offers,
    folders: { step: folders.step, skill: folders.skill, project: folders.project },
  };
  return { key, model: model.label, system, asks };
}

/** A reply as the next request holds it. */
export function saidBy({ text, calls, reasoning, blocks }: ModelReply): Message {
  return {
    role: 'assistant',
    text,
    calls,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(blocks === undefined ? {} : { blocks }),
  };
}

export function refusedBy({ text }: ModelReply): Fault {
  return new Fault('agent.refusal', `the model refused: ${beginningOf(text, 300)}`);
}
