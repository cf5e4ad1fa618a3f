/** One model call that survives a service's bad moments: attempts, waits, another model, budget. */

import { type Amount, NO_AMOUNT, type StepContext } from '../core/context.js';
import { type FaultData, nextDelayMs, toFault } from '../core/faults.js';
import type { ChosenModel, Delta, ModelReply, ModelRequest, PriceOf, Provider, Usage } from '../core/model.js';
import { answerTokens, replyTokens, requestTokens, tokensIn } from '../core/token-estimate.js';
import { isServiceFault, type ModelLine } from './model-line.js';

/** Attempts of one call, waits doubling from 1 s. */
const POLICY = { attempts: 4, backoffMs: 1_000 };
/** After the first attempt of a call; none begins later. */
const LAST_BEGIN_MS = 10 * 60_000;
/** With another model to ask, one that says nothing is not waited for as often: the time of the step is spent. */
const SILENT_ATTEMPTS = 2;

/** What a call used: as its server told, or else as it is reckoned. */
export type Spent = ({ readonly usage: Usage } | { readonly estimatedTokens: number }) & { readonly usd?: number };

export interface Answered {
  readonly reply: ModelReply;
  /** The one that answered. */
  readonly model: ChosenModel;
  readonly spent: Spent;
}

/** What does not depend on which model is asked. */
export type Asked = Omit<ModelRequest, 'model' | 'parameters'>;

/** Throws the last fault when no attempt, and no model of the line, gave an answer. */
export async function callModel(
  asked: Asked,
  line: ModelLine,
  idleTimeoutMs: number,
  context: StepContext,
): Promise<Answered> {
  for (;;) {
    const model = line.current();
    try {
      return await callOne(asked, line, idleTimeoutMs, context);
    } catch (error) {
      const fault = toFault(error);
      if (context.signal.aborted || !isServiceFault(fault)) throw error;
      const next = await line.next();
      if (!next) throw error;
      await context.emit({ type: 'fallback', path: context.path, from: model.label, to: next.label, fault });
    }
  }
}

async function callOne(asked: Asked, line: ModelLine, idleTimeoutMs: number, context: StepContext): Promise<Answered> {
  const model = line.current();
  const { first } = line;
  const request = { ...asked, model: model.model, parameters: model.parameters };
  const estimate = estimateOf(request, model);
  const begun = context.clock.now();
  const notices: string[] = [];
  let isAnswered = false;
  /** Characters. */
  let heard = 0;
  const options = {
    signal: context.signal,
    idleTimeoutMs,
    step: context.path,
    hold: context.hold,
    onAnswer: () => {
      // The price list takes a moment to load: best while the answer still comes.
      if (!isAnswered) void model.price?.().catch(() => undefined);
      isAnswered = true;
    },
    onDelta: (delta: Delta) => {
      heard += delta.text.length;
      context.onDelta(delta);
    },
    onNotice: (text: string) => void notices.push(text),
    ...(model === first ? {} : { standsFor: { model: first.model, parameters: first.parameters } }),
  };
  const tell = async () => {
    for (const text of notices.splice(0)) await context.emit({ type: 'step_notice', path: context.path, text });
  };
  for (let attempt = 1; ; attempt++) {
    const reservation = await context.budget.reserve(await needOf(estimate, model, context), context.signal);
    isAnswered = false;
    heard = 0;
    try {
      const reply = believable(await model.provider.complete(request, options));
      noteAnswer(model, reply);
      const price = await model.price?.();
      const used = reply.usage ?? { ...estimate, outputTokens: Math.max(estimate.outputTokens, replyTokens(reply)) };
      reservation.settle(amountOf(used, price));
      await tell();
      return { reply, model, spent: spentOf(reply.usage, used, price) };
    } catch (error) {
      const fault = toFault(error);
      const isCut = context.signal.aborted;
      const isCharged = isCut ? isAnswered : fault.answered === true;
      const price = isCharged ? await model.price?.() : undefined;
      // What was seen to come was made, whatever was asked for.
      const used = { ...estimate, outputTokens: Math.max(estimate.outputTokens, tokensIn(heard)) };
      reservation.settle(isCharged ? amountOf(used, price) : NO_AMOUNT);
      const lost = isCharged ? spentOf(undefined, used, price) : undefined;
      if (!isCut) await tell();
      const waitMs = isCut ? undefined : waitBefore(attempt + 1, fault, begun, line, context);
      if (waitMs === undefined) {
        if (lost) await tellLost(lost, context);
        throw error;
      }
      await context.emit({ type: 'call_retry', path: context.path, attempt: attempt + 1, waitMs, fault, ...lost });
      await context.clock.sleep(waitMs, context.signal);
    }
  }
}

/** Undefined when it is not tried again. */
function waitBefore(
  attempt: number,
  fault: FaultData,
  begunMs: number,
  line: ModelLine,
  context: StepContext,
): number | undefined {
  const attempts = fault.code === 'provider.silent' && line.hasNext() ? SILENT_ATTEMPTS : POLICY.attempts;
  const delayMs = nextDelayMs(fault, attempt - 1, { ...POLICY, attempts });
  if (delayMs === undefined) return undefined;
  const spread = fault.retryAfterMs === undefined ? 0.75 + context.random() / 2 : 1 + context.random() / 10;
  const waitMs = Math.round(delayMs * spread);
  return context.clock.now() + waitMs - begunMs > LAST_BEGIN_MS ? undefined : waitMs;
}

/** Tokens of the longest answer that a model has given so far. */
const longest = new WeakMap<Provider, Map<string, number>>();

function noteAnswer({ provider, model }: ChosenModel, reply: ModelReply): void {
  const known = longest.get(provider) ?? new Map<string, number>();
  longest.set(provider, known);
  known.set(model, Math.max(known.get(model) ?? 0, reply.usage?.outputTokens ?? replyTokens(reply)));
}

function estimateOf(request: ModelRequest, { provider, model }: ChosenModel): Usage {
  const before = longest.get(provider)?.get(model);
  return { inputTokens: requestTokens(request), outputTokens: answerTokens(request, before), cachedTokens: 0 };
}

/** The price is looked up before the call only where money is limited: it takes time. */
async function needOf(estimate: Usage, model: ChosenModel, { budget }: StepContext): Promise<Amount> {
  return amountOf(estimate, budget.limitsUsd ? await model.price?.() : undefined);
}

function amountOf(usage: Usage, price: PriceOf | undefined): Amount {
  return { tokens: usage.inputTokens + usage.outputTokens, usd: price?.(usage) ?? 0 };
}

/** @param reckoned where the server told nothing */
function spentOf(usage: Usage | undefined, reckoned: Usage, price: PriceOf | undefined): Spent {
  const usd = price?.(usage ?? reckoned);
  const estimatedTokens = reckoned.inputTokens + reckoned.outputTokens;
  return { ...(usage ? { usage } : { estimatedTokens }), ...(usd === undefined ? {} : { usd }) };
}

/** Whether it could be told: the run may be stopping because nothing can be written any more. */
export async function tellLost(spent: Spent, { path, emit }: StepContext): Promise<boolean> {
  return emit({ type: 'call_lost', path, ...spent }).then(
    () => true,
    () => false,
  );
}

/** A count that cannot be one is as if the server had said nothing: it must not lift a limit. No request has no tokens. */
function believable(reply: ModelReply): ModelReply {
  const { usage, ...rest } = reply;
  const isCount = (count: number) => Number.isSafeInteger(count) && count >= 0;
  return usage && Object.values(usage).every(isCount) && usage.inputTokens > 0 ? reply : rest;
}
