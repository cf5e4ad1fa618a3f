import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Fault, type FaultData } from '../../src/core/faults.js';
import type { ModelReply, Provider } from '../../src/core/model.js';
import type { RateLimits } from '../../src/core/model-config.js';
import { createBreaker } from '../../src/providers/breaker.js';
import { guarded, limiterOf } from '../../src/providers/guarded.js';
import { createModels } from '../../src/providers/models.js';
import { createRateLimiter } from '../../src/providers/rate-limits.js';
import { fakeClock } from '../support/fake-clock.js';

const REQUEST = {
  model: 'm',
  system: '',
  messages: [{ role: 'user', text: 'Hi' }],
  tools: [],
  toolChoice: 'auto',
  parameters: {},
} as const;
const REPLY: ModelReply = { text: 'Hi', calls: [], finish: 'stop' };
const GONE: FaultData = { code: 'provider.exhausted', message: 'no credit is left' };

/** Each call answers, or fails, when the test says so. */
function service(limits?: RateLimits) {
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const open: { resolve(reply: ModelReply): void; reject(error: unknown): void }[] = [];
  const provider: Provider = {
    name: 'acme',
    complete: () => new Promise((resolve, reject) => open.push({ resolve, reject })),
  };
  const limiter = limits && createRateLimiter(limits, clock);
  const one = guarded(provider, createBreaker(clock), limiter);
  const notices: string[] = [];
  const ask = (step = '', signal = new AbortController().signal) => {
    const onNotice = (text: string) => void notices.push(text);
    const asked = one.complete(REQUEST, { signal, step, idleTimeoutMs: 1_000, onNotice });
    return asked.then(
      () => 'answered' as const,
      (error: Error) => (error instanceof Fault ? error.data : error.message),
    );
  };
  const fail = async (at: number, data: FaultData) => {
    await soon();
    open[at]?.reject(Fault.from(data));
  };
  const answer = async (at: number) => {
    await soon();
    open[at]?.resolve(REPLY);
  };
  return { clock, open, ask, fail, answer, notices };
}

describe('a service that gives no more', () => {
  it('is asked nothing more by anybody: all get the same fault; what is on its way goes on', async () => {
    const { open, ask, fail, answer } = service();
    const [first, second] = [ask(), ask()];
    await fail(0, GONE);
    expect(await first).toEqual(GONE);
    expect(await ask()).toEqual(GONE);
    await answer(1);
    expect(await second).toBe('answered');
    expect(open).toHaveLength(2);
  });

  it('counts as charged the call that had been answered, and none that was not sent', async () => {
    const { ask, fail } = service({ maxParallel: 1 });
    const [first, waiting] = [ask(), ask()];
    await fail(0, { ...GONE, answered: true });
    expect(await first).toEqual({ ...GONE, answered: true });
    expect([await waiting, await ask()]).toEqual([GONE, GONE]);
  });

  it('counts as charged the call that had been answered when it was told to come back later', async () => {
    const { ask, fail } = service();
    const [first, second] = [ask(), ask()];
    await fail(0, { code: 'provider.overloaded', message: 'later', retryAfterMs: 7_200_000, answered: true });
    expect(await first).toMatchObject({ code: 'provider.exhausted', answered: true });
    await fail(1, GONE);
    expect(await second).not.toHaveProperty('answered');
  });

  it('lets those go at once who wait for their turn', async () => {
    const { clock, open, ask, fail } = service({ maxParallel: 1 });
    const [first, second] = [ask(), ask()];
    await soon();
    await fail(0, GONE);
    expect([await first, await second]).toEqual([GONE, GONE]);
    expect(open).toHaveLength(1);
    expect(clock.sleepers()).toBe(0);
  });

  it('is one that asks for more than a minute: it says when to come back', async () => {
    const { ask, fail } = service();
    const asked = ask();
    await fail(0, { code: 'provider.overloaded', message: 'HTTP 429: later', retryAfterMs: 7_200_000 });
    const fault = {
      code: 'provider.exhausted',
      message: 'the service asks to come back at 2026-01-01T02:00:00Z: HTTP 429: later',
      hint: 'Resume the run after 2026-01-01T02:00:00Z; what was finished is kept.',
      retryAfterMs: 7_200_000,
    };
    expect(await asked).toEqual(fault);
    expect(await ask()).toEqual(fault);
  });

  it('is not one whose call was cut off because another service gives no more', async () => {
    const { ask, fail, answer } = service();
    const stop = new AbortController();
    const cut = ask('', stop.signal);
    stop.abort(Fault.from(GONE));
    await fail(0, GONE);
    expect(await cut).toEqual(GONE);
    const asked = ask();
    await answer(1);
    expect(await asked).toBe('answered');
  });

  it.each(['provider.overloaded', 'provider.refused', 'provider.silent'] as const)('is none for %s', async (code) => {
    const { open, ask, fail } = service();
    const asked = ask();
    await fail(0, { code, message: 'x' });
    expect(await asked).toEqual({ code, message: 'x' });
    void ask();
    await soon();
    expect(open).toHaveLength(2);
  });

  it('takes all of its models with it, and no other service', async () => {
    let asked = 0;
    const gone: Provider = { name: 'gone', complete: () => Promise.reject(Fault.from({ ...GONE, exit: ++asked })) };
    const well: Provider = { name: 'well', complete: () => Promise.resolve(REPLY) };
    const models = createModels({ roles: new Map(), env: {}, detect: false, cwd: '/', providers: { gone, well } });
    const ask = async (name: string) =>
      (await models.pick(name)).provider.complete(REQUEST, {
        signal: new AbortController().signal,
        idleTimeoutMs: 1_000,
      });
    await expect(ask('gone/a')).rejects.toThrow(GONE.message);
    await expect(ask('gone/b')).rejects.toThrow(GONE.message);
    expect(asked).toBe(1);
    expect(await ask('well/a')).toEqual(REPLY);
  });
});

describe('a service with limits', () => {
  it('says a wait over five seconds, once, with the key that causes it', async () => {
    const { clock, open, ask, notices } = service({ rpm: 1 });
    const asked = [ask(), ask(), ask()];
    await clock.advance(3 * 60_000);
    for (const one of open) one.resolve(REPLY);
    expect(await Promise.all(asked)).toEqual(['answered', 'answered', 'answered']);
    expect(notices).toEqual(['waited 1 min: acme is limited to 1 request a minute (providers.acme.rpm)']);
  });

  it('is asked by nobody for as long as a 429 says, but by the step that was told', async () => {
    const { clock, open, ask, fail, notices } = service({});
    void ask('a');
    await soon();
    await fail(0, { code: 'provider.overloaded', message: '429', retryAfterMs: 30_000 });
    await soon();
    void ask('b');
    void ask('c');
    await clock.advance(29_999);
    expect(open).toHaveLength(1);
    await clock.advance(1);
    expect(open).toHaveLength(3);
    expect(notices).toEqual(['waited 30 s: acme has asked for it (Retry-After)']);
  });

  it('counts what a call used, and all that was reckoned where nobody knows', async () => {
    const { clock, open, ask } = service({ tpm: 2_500 });
    void ask();
    void ask();
    await soon();
    expect(open).toHaveLength(2);
    void ask();
    await soon();
    expect(open).toHaveLength(2);
    open[0]?.resolve(REPLY);
    await soon();
    expect(open).toHaveLength(2);
    open[1]?.resolve({ ...REPLY, usage: { inputTokens: 5, outputTokens: 5, cachedTokens: 0 } });
    await soon();
    expect(open).toHaveLength(3);
    expect(clock.sleepers()).toBe(0);
  });

  it('shares them among all runs of a process, and with no run of another clock', () => {
    const clock = fakeClock();
    expect(limiterOf('acme host', { rpm: 1 }, clock)).toBe(limiterOf('acme host', { rpm: 1 }, clock));
    expect(limiterOf('acme host', { rpm: 1 }, clock)).not.toBe(limiterOf('acme other', { rpm: 1 }, clock));
    expect(limiterOf('acme host', { rpm: 1 }, clock)).not.toBe(limiterOf('acme host', { rpm: 1 }, fakeClock()));
  });
});
