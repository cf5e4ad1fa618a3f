/** A provider behind what all its callers share: the breaker of its run, the limits of its service. */
import type { Clock } from '../core/context.js';
import { toFault } from '../core/faults.js';
import type { ModelReply, ModelRequest, Provider } from '../core/model.js';
import type { RateLimits } from '../core/model-config.js';
import { answerTokens, requestTokens } from '../core/token-estimate.js';
import { counted, duration } from '../core/words.js';
import type { Breaker } from './breaker.js';
import { createRateLimiter, type Entry, type Hold, type RateLimiter } from './rate-limits.js';

type Options = Parameters<Provider['complete']>[1];

/** Shorter waits are nobody's concern. */
const TOLD_FROM_MS = 5_000;

/** @param limiter undefined: nothing is ever held back */
export function guarded(provider: Provider, breaker: Breaker, limiter: RateLimiter | undefined): Provider {
  let isTold = false;

  async function enter(
    request: ModelRequest,
    { signal, step = '', hold, onNotice }: Options,
  ): Promise<Entry | undefined> {
    if (!limiter) return undefined;
    const tokens = limiter.limits.tpm === undefined ? 0 : requestTokens(request) + answerTokens(request);
    const { entry, giveUp } = limiter.enter(tokens, step, signal);
    const back = breaker.whenBroken(giveUp);
    const release = hold?.();
    const entered = await entry.finally(() => {
      back();
      release?.();
    });
    if (entered.heldBy !== undefined && entered.waitedMs > TOLD_FROM_MS && !isTold) {
      isTold = true;
      onNotice?.(waitText(provider.name, entered.waitedMs, entered.heldBy, limiter.limits));
    }
    return entered;
  }

  return {
    name: provider.name,
    ...(provider.placeholder ? { placeholder: true } : {}),
    async complete(request, options) {
      breaker.check();
      const entry = await enter(request, options);
      try {
        breaker.check();
        const reply = await provider.complete(request, options);
        entry?.leave(used(reply));
        return reply;
      } catch (error) {
        const { code, answered, retryAfterMs } = toFault(error);
        entry?.leave(answered || options.signal.aborted ? undefined : 0);
        // Why a run stops may be another service's fault.
        if (options.signal.aborted) throw error;
        const judged = breaker.judge(error);
        if (judged === error && code === 'provider.overloaded' && retryAfterMs)
          limiter?.pause(retryAfterMs, options.step ?? '');
        throw judged;
      }
    },
  };
}

/** By the clock, so that all runs of a process share what a service allows, and a test shares nothing. */
const shared = new WeakMap<Clock, Map<string, RateLimiter>>();

/** @param service its name with its host */
export function limiterOf(service: string, limits: RateLimits, clock: Clock): RateLimiter {
  const limiters = shared.get(clock) ?? new Map<string, RateLimiter>();
  shared.set(clock, limiters);
  const key = `${service} ${JSON.stringify(limits)}`;
  const limiter = limiters.get(key) ?? createRateLimiter(limits, clock);
  limiters.set(key, limiter);
  return limiter;
}

function used({ usage }: ModelReply): number | undefined {
  const tokens = usage && usage.inputTokens + usage.outputTokens;
  return Number.isSafeInteger(tokens) ? tokens : undefined;
}

function waitText(name: string, waitedMs: number, hold: Hold, limits: RateLimits): string {
  const waited = `waited ${duration(waitedMs)}`;
  switch (hold) {
    case 'rpm':
      return `${waited}: ${name} is limited to ${counted(limits.rpm ?? 0, 'request')} a minute (providers.${name}.rpm)`;
    case 'tpm':
      return `${waited}: ${name} is limited to ${counted(limits.tpm ?? 0, 'token')} a minute (providers.${name}.tpm)`;
    case 'maxParallel':
      return `${waited}: ${name} is limited to ${counted(limits.maxParallel ?? 0, 'request')} at once (providers.${name}.max_parallel)`;
    case 'pause':
      return `${waited}: ${name} has asked for it (Retry-After)`;
  }
}
