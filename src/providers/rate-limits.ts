/** Holds calls to a service back until its limits allow them: first come first served, over a rolling minute. */
import type { Clock } from '../core/context.js';
import type { RateLimits } from '../core/model-config.js';

/** What held a call back; `pause`: the service asked for it. */
export type Hold = keyof RateLimits | 'pause';

export interface Entry {
  readonly waitedMs: number;
  /** Undefined if nothing did. */
  readonly heldBy: Hold | undefined;
  /** Once, when the call has ended: what it used, undefined if nobody knows. */
  leave(tokens: number | undefined): void;
}

export interface Waiting {
  readonly entry: Promise<Entry>;
  /** Leaves the queue, if it still waits. */
  giveUp(reason: unknown): void;
}

export interface RateLimiter {
  readonly limits: RateLimits;
  /**
   * @param tokens that the call is reckoned to use
   * @param caller one that was told of a pause waits for it by itself
   */
  enter(tokens: number, caller: string, signal: AbortSignal): Waiting;
  /** No call begins for so long, but those of the caller who was told of it. */
  pause(ms: number, caller: string): void;
}

interface Begun {
  readonly at: number;
  tokens: number;
}

interface Waiter {
  readonly tokens: number;
  readonly caller: string;
  readonly since: number;
  heldBy: Hold | undefined;
  admit(): void;
}

const MINUTE_MS = 60_000;

export function createRateLimiter(limits: RateLimits, clock: Clock): RateLimiter {
  const queue: Waiter[] = [];
  let begun: Begun[] = [];
  let running = 0;
  let pausedUntil = 0;
  const told = new Set<string>();
  /** A clock whose waits take no time must not be asked for ever: what has been waited for is over. */
  let waitedUntil = 0;
  let alarm: { readonly at: number; readonly stop: AbortController } | undefined;
  const now = () => Math.max(clock.now(), waitedUntil);

  /** When the first of the queue may begin; Infinity: when another one ends. */
  function nextTurn({ tokens, caller }: Waiter): { readonly at: number; readonly hold?: Hold } {
    if (limits.maxParallel !== undefined && running >= limits.maxParallel)
      return { at: Number.POSITIVE_INFINITY, hold: 'maxParallel' };
    const time = now();
    begun = begun.filter(({ at }) => at + MINUTE_MS > time);
    if (pausedUntil > time && !(caller !== '' && told.has(caller))) return { at: pausedUntil, hold: 'pause' };
    const { rpm = Number.POSITIVE_INFINITY, tpm = Number.POSITIVE_INFINITY } = limits;
    const oldest = begun[begun.length - rpm];
    if (oldest) return { at: oldest.at + MINUTE_MS, hold: 'rpm' };
    let room = tpm - begun.reduce((sum, call) => sum + call.tokens, 0);
    if (tokens <= room) return { at: time };
    // A call that is larger than the limit goes alone.
    const blocker = begun.find((call) => {
      room += call.tokens;
      return tokens <= room;
    });
    const last = blocker ?? begun.at(-1);
    return last ? { at: last.at + MINUTE_MS, hold: 'tpm' } : { at: time };
  }

  function serve(): void {
    for (let first = queue[0]; first; first = queue[0]) {
      const { at, hold } = nextTurn(first);
      if (hold !== undefined) {
        first.heldBy = hold;
        ring(at);
        return;
      }
      queue.shift();
      first.admit();
    }
    ring(Number.POSITIVE_INFINITY);
  }

  function ring(at: number): void {
    if (alarm?.at === at) return;
    alarm?.stop.abort(new Error('Another time is waited for.'));
    alarm = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const set = { at, stop: new AbortController() };
    alarm = set;
    const rung = () => {
      if (alarm !== set) return;
      alarm = undefined;
      waitedUntil = Math.max(waitedUntil, at);
      serve();
    };
    clock.sleep(at - now(), set.stop.signal).then(rung, () => undefined);
  }

  function begin(waiter: Waiter): Entry {
    const call: Begun = { at: now(), tokens: waiter.tokens };
    if (limits.rpm !== undefined || limits.tpm !== undefined) begun.push(call);
    running++;
    return {
      waitedMs: waiter.heldBy === undefined ? 0 : call.at - waiter.since,
      heldBy: waiter.heldBy,
      leave(tokens) {
        running--;
        call.tokens = tokens ?? call.tokens;
        serve();
      },
    };
  }

  return {
    limits,
    enter(tokens, caller, signal) {
      let giveUp: (reason: unknown) => void = () => undefined;
      const entry = new Promise<Entry>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const stop = () => giveUp(signal.reason);
        const waiter: Waiter = {
          tokens,
          caller,
          since: now(),
          heldBy: queue.at(-1)?.heldBy,
          admit() {
            signal.removeEventListener('abort', stop);
            resolve(begin(waiter));
          },
        };
        giveUp = (reason) => {
          const at = queue.indexOf(waiter);
          if (at < 0) return;
          queue.splice(at, 1);
          signal.removeEventListener('abort', stop);
          reject(reason);
          serve();
        };
        signal.addEventListener('abort', stop, { once: true });
        queue.push(waiter);
        serve();
      });
      return { entry, giveUp: (reason) => giveUp(reason) };
    },
    pause(ms, caller) {
      const until = now() + ms;
      if (until > pausedUntil) {
        if (pausedUntil <= now()) told.clear();
        pausedUntil = until;
      }
      told.add(caller);
      serve();
    },
  };
}
