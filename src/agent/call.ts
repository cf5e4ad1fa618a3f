/** One model call that survives a service's bad moments: attempts, waits, budget. */

import type { StepContext } from '../core/context.js';
import { Fault, type FaultData, nextDelayMs, toFault } from '../core/faults.js';
import type { ChosenModel, Delta, ModelReply, ModelRequest } from '../core/model.js';

/** Attempts of one call, waits doubling from 1 s. */
const POLICY = { attempts: 4, backoffMs: 1_000 };
/** A service that asks for a longer wait has nothing more to give for now: the run ends, and can be resumed. */
const LONGEST_WAIT_MS = 60_000;
/** After the first attempt of a call; none begins later. */
const LAST_BEGIN_MS = 10 * 60_000;
const YEAR_MS = 365 * 24 * 60 * 60_000;
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
  const begun = context.clock.now();
  const notices: string[] = [];
  const options = {
    signal: context.signal,
    idleTimeoutMs,
    step: context.path,
    onDelta: (delta: Delta) => context.onDelta(delta),
    onNotice: (text: string) => void notices.push(text),
  };
  for (let attempt = 1; ; attempt++) {
    const reservation = await context.budget.reserve(estimatedTokens, context.signal);
    try {
      const reply = await model.provider.complete(request, options);
      const believed = believable(reply);
      reservation.settle(believed.usage);
      for (const text of notices) await context.emit({ type: 'step_notice', path: context.path, text });
      return { reply: believed, estimatedTokens };
    } catch (error) {
      reservation.settle({ inputTokens: 0, outputTokens: 0, cachedTokens: 0 });
      if (context.signal.aborted) throw error;
      const fault = toFault(error);
      if ((fault.retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw exhausted(fault, context.clock.now());
      const delayMs = nextDelayMs(fault, attempt, POLICY);
      if (delayMs === undefined) throw error;
      const waitMs = Math.round(
        fault.retryAfterMs === undefined
          ? delayMs * (0.75 + context.random() / 2)
          : delayMs * (1 + context.random() / 10),
      );
      if (context.clock.now() + waitMs - begun > LAST_BEGIN_MS) throw error;
      await context.emit({ type: 'call_retry', path: context.path, attempt: attempt + 1, waitMs, fault });
      await context.clock.sleep(waitMs, context.signal);
    }
  }
}

function exhausted({ message, retryAfterMs = 0 }: FaultData, now: number): Fault {
  const at = `${new Date(now + Math.min(retryAfterMs, YEAR_MS)).toISOString().slice(0, 19)}Z`;
  return new Fault('provider.exhausted', `the service asks to come back at ${at}: ${message}`, {
    hint: `Resume the run after ${at}; what was finished is kept.`,
    retryAfterMs,
  });
}

/** A count that cannot be one is as if the server had said nothing: it must not lift a limit. */
function believable(reply: ModelReply): ModelReply {
  const { usage, ...rest } = reply;
  const isCount = (count: number) => Number.isSafeInteger(count) && count >= 0;
  return usage && Object.values(usage).every(isCount) ? reply : rest;
}
