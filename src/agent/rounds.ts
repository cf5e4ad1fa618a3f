/** The rounds of a conversation: each is asked, written down, told. */
import { type Amount, NO_AMOUNT, type StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Message, ModelReply } from '../core/model.js';
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
  const file = writeTranscript(conversing.transcript);
  const [first] = talk.messages;
  if (talk.isNew && first) file.begin(headOf(conversing, offers, context), first);
  if (talk.said || talk.maxRounds > talk.knownRounds) file.note({ maxRounds: talk.maxRounds }, talk.said);
  const asking = (
    open: Pick<OpenRound, 'round' | 'reply' | 'model' | 'spent'>,
    begunMs: number,
    earlier: OpenRound | undefined,
  ): Asking => {
    const { reply, model, spent } = open;
    return {
      reply,
      ledger: openLedger(file, open, earlier),
      async take(work) {
        try {
          return await work();
        } catch (error) {
          if (spent) {
            await tellLost(spent, context);
            file.counted();
          }
          throw error;
        }
      },
      async settle(messages, end) {
        file.round(messages, { ...end, finish: reply.finish, ...(reply.usage ? { usage: reply.usage } : {}) });
        await context.emit({
          type: 'round',
          path: context.path,
          round: end.round,
          calls: reply.calls.map((call) => call.name),
          model,
          ms: context.clock.now() - begunMs,
          ...(spent ?? COUNTED),
        });
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
      return asking({ round, reply, model: model.label, spent }, begun, undefined);
    },
    async goOn(open) {
      // No event tells of it yet: what limits the run must count it now.
      const reservation = await context.budget.reserve(NO_AMOUNT, context.signal);
      reservation.settle(open.spent ? amountIn(open.spent) : NO_AMOUNT);
      return asking(open, context.clock.now(), open);
    },
  };
}
/** Of a round whose call the journal counted as lost when it was cut off. */
const COUNTED = { usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }, usd: 0 };

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
  return new Fault('agent.refusal', `the model refused: ${text.slice(0, 300)}`);
}
