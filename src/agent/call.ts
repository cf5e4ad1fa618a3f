/** One model call that survives a service's bad moments: attempts, waits, budget. */

import type { StepContext } from '../core/context.js';
import { nextDelayMs, toFault } from '../core/faults.js';
import type { ChosenModel, ModelReply, ModelRequest } from '../core/model.js';

/** Attempts of one call, waits doubling from 1 s; a longer wait than the cap is not waited for. */
const POLICY = { attempts: 4, backoffMs: 1_000 };
const LONGEST_WAIT_MS = 60_000;
/** What an answer is reckoned to need before it is known. */
const ANSWER_TOKENS = 1_000;

export interface Answered {
  readonly reply: ModelReply;
  /** Tokens that the call counts as when the server does not say what it used. */
  readonly estimatedTokens: number;
}

export async function callModel(
  request: ModelRequest,
  model: ChosenModel,
  requestCharacters: number,
  idleTimeoutMs: number,
  context: StepContext,
): Promise<Answered> {
  const estimatedTokens = Math.ceil(requestCharacters / 4) + ANSWER_TOKENS;
  for (let attempt = 1; ; attempt++) {
    const reservation = await context.budget.reserve(estimatedTokens, context.signal);
    try {
      const reply = await model.provider.complete(request, {
        signal: context.signal,
        idleTimeoutMs,
        step: context.path,
        onDelta: (delta) => context.onDelta(delta),
      });
      const believed = believable(reply);
      reservation.settle(believed.usage);
      return { reply: believed, estimatedTokens };
    } catch (error) {
      reservation.settle({ inputTokens: 0, outputTokens: 0, cachedTokens: 0 });
      if (context.signal.aborted) throw error;
      const fault = toFault(error);
      const delayMs = nextDelayMs(fault, attempt, POLICY);
      if (delayMs === undefined || delayMs > LONGEST_WAIT_MS) throw error;
      const waitMs = Math.round(fault.retryAfterMs ?? delayMs * (0.75 + context.random() / 2));
      await context.emit({ type: 'call_retry', path: context.path, attempt: attempt + 1, waitMs, fault });
      await context.clock.sleep(waitMs, context.signal);
    }
  }
}

/** A count that cannot be one is as if the server had said nothing: it must not lift a limit. */
function believable(reply: ModelReply): ModelReply {
  const { usage, ...rest } = reply;
  const isCount = (count: number) => Number.isSafeInteger(count) && count >= 0;
  return usage && Object.values(usage).every(isCount) ? reply : rest;
}
