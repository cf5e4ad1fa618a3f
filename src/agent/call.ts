/** One model call that survives a service's bad moments: attempts, waits, another model, budget. */

import type { Amount, StepContext } from '../core/context.js';
import { type FaultData, nextDelayMs, toFault } from '../core/faults.js';
import type { ChosenModel, Delta, ModelReply, ModelRequest, PriceOf, Usage } from '../core/model.js';
import { isServiceFault, type ModelLine } from './model-line.js';

/** Attempts of one call, waits doubling from 1 s. */
const POLICY = { attempts: 4, backoffMs: 1_000 };
/** After the first attempt of a call; none begins later. */
const LAST_BEGIN_MS = 10 * 60_000;
/** What an answer is reckoned to need before it is known. */
const ANSWER_TOKENS = 1_000;
const CHARACTERS_A_TOKEN = 4;
const NOTHING: Amount = { tokens: 0, usd: 0 };

export interface Answered {
  readonly reply: ModelReply;
  /** The one that answered. */
  readonly model: ChosenModel;
  /** As the `round` event tells it. */
  readonly spent: {
    readonly usage?: Usage;
    /** Tokens that the call counts as, where the server did not say what it used. */
    readonly estimatedTokens?: number;
    readonly usd?: number;
  };
}

/** What does not depend on which model is asked. */
export type Asked = Omit<ModelRequest, 'model' | 'parameters'>;

/** Throws the last fault when no attempt, and no model of the line, gave an answer. */
export async function callModel(
  asked: Asked,
  line: ModelLine,
  requestCharacters: number,
  idleTimeoutMs: number,
  context: StepContext,
): Promise<Answered> {
  const first = line.current();
  for (;;) {
    const model = line.current();
    try {
      return await callOne(asked, model, first, requestCharacters, idleTimeoutMs, context);
    } catch (error) {
      const fault = toFault(error);
      if (context.signal.aborted || !isServiceFault(fault)) throw error;
      const next = await line.next();
      if (!next) throw error;
      await context.emit({ type: 'fallback', path: context.path, from: model.label, to: next.label, fault });
    }
  }
}

async function callOne(
  asked: Asked,
  model: ChosenModel,
  first: ChosenModel,
  requestCharacters: number,
  idleTimeoutMs: number,
  context: StepContext,
): Promise<Answered> {
  const request = { ...asked, model: model.model, parameters: model.parameters };
  const estimate = estimateOf(request, requestCharacters);
  const begun = context.clock.now();
  const notices: string[] = [];
  let heard = false;
  const options = {
    signal: context.signal,
    idleTimeoutMs,
    step: context.path,
    onDelta: (delta: Delta) => {
      // The price list takes a moment to load: best while the answer still comes.
      if (!heard) void model.price?.().catch(() => undefined);
      heard = true;
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
    heard = false;
    try {
      const reply = believable(await model.provider.complete(request, options));
      const price = await model.price?.();
      reservation.settle(reply.usage && amountOf(reply.usage, price));
      await tell();
      return { reply, model, spent: spentOf(reply.usage, estimate, price) };
    } catch (error) {
      const fault = toFault(error);
      const isCut = context.signal.aborted;
      const isCharged = isCut ? heard : fault.answered === true;
      reservation.settle(isCharged ? undefined : NOTHING);
      const lost = isCharged ? spentOf(undefined, estimate, await model.price?.()) : {};
      if (!isCut) await tell();
      const waitMs = isCut ? undefined : waitBefore(attempt + 1, fault, begun, context);
      if (waitMs === undefined) {
        await tellLost(lost, context);
        throw error;
      }
      await context.emit({ type: 'call_retry', path: context.path, attempt: attempt + 1, waitMs, fault, ...lost });
      await context.clock.sleep(waitMs, context.signal);
    }
  }
}

/** Undefined when it is not tried again. */
function waitBefore(attempt: number, fault: FaultData, begunMs: number, context: StepContext): number | undefined {
  const delayMs = nextDelayMs(fault, attempt - 1, POLICY);
  if (delayMs === undefined) return undefined;
  const spread = fault.retryAfterMs === undefined ? 0.75 + context.random() / 2 : 1 + context.random() / 10;
  const waitMs = Math.round(delayMs * spread);
  return context.clock.now() + waitMs - begunMs > LAST_BEGIN_MS ? undefined : waitMs;
}

function estimateOf({ parameters, messages }: ModelRequest, characters: number): Usage {
  const most = parameters.max_tokens;
  const answer = typeof most === 'number' && most < ANSWER_TOKENS ? most : ANSWER_TOKENS;
  const images = messages.reduce(
    (sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0),
    0,
  );
  return {
    inputTokens: Math.ceil(characters / CHARACTERS_A_TOKEN) + images * IMAGE_TOKENS,
    outputTokens: answer,
    cachedTokens: 0,
  };
}

/** About what the large providers count for a picture of a million pixels. */
const IMAGE_TOKENS = 1_600;

/** The price is looked up before the call only where money is limited: it takes time. */
async function needOf(estimate: Usage, model: ChosenModel, { budget }: StepContext): Promise<Amount> {
  return amountOf(estimate, budget.limitsUsd ? await model.price?.() : undefined);
}

function amountOf(usage: Usage, price: PriceOf | undefined): Amount {
  return { tokens: usage.inputTokens + usage.outputTokens, usd: price?.(usage) ?? 0 };
}

function spentOf<U extends Usage | undefined>(usage: U, estimate: Usage, price: PriceOf | undefined) {
  const usd = price?.(usage ?? estimate);
  return {
    ...(usage ? { usage } : { estimatedTokens: estimate.inputTokens + estimate.outputTokens }),
    ...(usd === undefined ? {} : { usd }),
  };
}

/** The run may be stopping because nothing can be written any more. */
async function tellLost(
  { estimatedTokens, usd }: { readonly estimatedTokens?: number; readonly usd?: number },
  { path, emit }: StepContext,
): Promise<void> {
  if (estimatedTokens === undefined) return;
  await emit({ type: 'call_lost', path, estimatedTokens, ...(usd === undefined ? {} : { usd }) }).catch(
    () => undefined,
  );
}

/** A count that cannot be one is as if the server had said nothing: it must not lift a limit. */
function believable(reply: ModelReply): ModelReply {
  const { usage, ...rest } = reply;
  const isCount = (count: number) => Number.isSafeInteger(count) && count >= 0;
  return usage && Object.values(usage).every(isCount) ? reply : rest;
}
