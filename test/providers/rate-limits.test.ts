import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RateLimits } from '../../src/core/model-config.js';
import { createRateLimiter, type Entry } from '../../src/providers/rate-limits.js';
import { fakeClock } from '../support/fake-clock.js';

const MINUTE = 60_000;
const never = new AbortController().signal;

function limited(limits: RateLimits) {
  const clock = fakeClock();
  const start = clock.now();
  const limiter = createRateLimiter(limits, clock);
  const begun: { readonly name: string; readonly at: number; readonly entry: Entry }[] = [];
  const enter = (name: string, tokens = 0, signal = never) => {
    const { entry, giveUp } = limiter.enter(tokens, name, signal);
    const done = entry.then((one) => void begun.push({ name, at: clock.now() - start, entry: one }));
    return { done, giveUp };
  };
  return { clock, limiter, begun, enter, times: () => begun.map(({ name, at }) => [name, at]) };
}

it('lets as many requests begin in any minute as rpm says, first come first served', async () => {
  const { clock, enter, times, begun } = limited({ rpm: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name);
  await clock.advance(1);
  expect(times()).toEqual([
    ['a', 0],
    ['b', 0],
  ]);
  await clock.advance(3 * MINUTE);
  expect(times().slice(2)).toEqual([
    ['c', MINUTE],
    ['d', MINUTE],
    ['e', 2 * MINUTE],
  ]);
  expect(begun.map(({ entry }) => [entry.heldBy, entry.waitedMs])).toEqual([
    [undefined, 0],
    [undefined, 0],
    ['rpm', MINUTE],
    ['rpm', MINUTE],
    ['rpm', 2 * MINUTE],
  ]);
});

it('counts the tokens that were reckoned until it is told those that were used', async () => {
  const { clock, enter, begun, times } = limited({ tpm: 1_000 });
  enter('a', 800);
  enter('b', 800);
  await clock.advance(10);
  expect(times()).toEqual([['a', 0]]);
  begun[0]?.entry.leave(100);
  await clock.advance(10);
  expect(times()[1]).toEqual(['b', 10]);
  enter('c', 200);
  await clock.advance(2 * MINUTE);
  expect(times()[2]).toEqual(['c', MINUTE]);
});

it('lets a call that is larger than the limit go alone', async () => {
  const { clock, enter, times } = limited({ tpm: 1_000 });
  enter('small', 10);
  enter('large', 5_000);
  enter('next', 10);
  await clock.advance(3 * MINUTE);
  expect(times()).toEqual([
    ['small', 0],
    ['large', MINUTE],
    ['next', 2 * MINUTE],
  ]);
});

it('begins the next of max_parallel when one ends, without a wait', async () => {
  const { clock, enter, begun, times } = limited({ maxParallel: 1 });
  enter('a');
  enter('b');
  await clock.advance(MINUTE);
  expect(times()).toEqual([['a', 0]]);
  begun[0]?.entry.leave(undefined);
  await clock.advance(0);
  expect(times()[1]).toEqual(['b', MINUTE]);
  expect(begun[1]?.entry.heldBy).toBe('maxParallel');
  expect(clock.sleepers()).toBe(0);
});

it('lets one who gives up, or is cancelled, out of the queue at once, and leaves no timer behind', async () => {
  const { clock, enter, times } = limited({ rpm: 1 });
  const stop = new AbortController();
  enter('a');
  const b = enter('b', 0, stop.signal);
  const c = enter('c');
  stop.abort(new Error('cancelled'));
  await expect(b.done).rejects.toThrow('cancelled');
  c.giveUp(new Error('over'));
  await expect(c.done).rejects.toThrow('over');
  expect(clock.sleepers()).toBe(0);
  await expect(enter('d', 0, AbortSignal.abort(new Error('gone'))).done).rejects.toThrow('gone');
  enter('e');
  await clock.advance(MINUTE);
  expect(times()).toEqual([
    ['a', 0],
    ['e', MINUTE],
  ]);
});

it('holds all back who were not told of a pause themselves', async () => {
  const { clock, limiter, enter, begun, times } = limited({});
  limiter.pause(2_000, 'told');
  enter('told');
  enter('other');
  await clock.advance(5_000);
  expect(times()).toEqual([
    ['told', 0],
    ['other', 2_000],
  ]);
  expect(begun[1]?.entry.heldBy).toBe('pause');
});

it('ends with a clock whose waits take no time', async () => {
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const limiter = createRateLimiter({ rpm: 1, tpm: 10 }, clock);
  const entries = await Promise.all([1, 2, 3].map(() => limiter.enter(8, '', never).entry));
  expect(entries.map(({ waitedMs }) => waitedMs)).toEqual([0, MINUTE, 2 * MINUTE]);
});

it('keeps every limit, and the order, whatever comes when and takes how long', async () => {
  const call = fc.record({
    after: fc.nat(40_000),
    tokens: fc.nat(1_200),
    takes: fc.nat(90_000),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 12 }),
      fc.record({ rpm: fc.integer({ min: 1, max: 4 }), tpm: fc.integer({ min: 500, max: 3_000 }) }),
      fc.integer({ min: 1, max: 3 }),
      async (calls, rates, maxParallel) => {
        const { clock, enter, begun } = limited({ ...rates, maxParallel });
        let running = 0;
        const start = async (index: number): Promise<void> => {
          await enter(String(index), calls[index]?.tokens).done;
          running++;
          expect(running).toBeLessThanOrEqual(maxParallel);
          await clock.sleep(calls[index]?.takes ?? 0);
          running--;
          begun.find(({ name }) => name === String(index))?.entry.leave(undefined);
        };
        const all: Promise<void>[] = [];
        for (const [index, { after }] of calls.entries()) {
          await clock.advance(after);
          all.push(start(index));
        }
        await clock.advance(calls.length * 4 * MINUTE);
        await Promise.all(all);
        expect(begun.map(({ name }) => name)).toEqual(calls.map((_, index) => String(index)));
        for (const { at } of begun) {
          const inMinute = begun.filter((one) => one.at >= at && one.at < at + MINUTE);
          expect(inMinute.length).toBeLessThanOrEqual(rates.rpm);
          const tokens = inMinute.reduce((sum, { name }) => sum + (calls[Number(name)]?.tokens ?? 0), 0);
          const largest = Math.max(...inMinute.map(({ name }) => calls[Number(name)]?.tokens ?? 0));
          expect(tokens).toBeLessThanOrEqual(Math.max(rates.tpm, largest));
        }
      },
    ),
    { numRuns: 60 },
  );
});
