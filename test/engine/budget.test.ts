import { describe, expect, it } from 'vitest';
import type { Plan, Step } from '../../src/core/plan.js';
import { createTallies } from '../../src/engine/budget.js';

const never = new AbortController().signal;
const used = (tokens: number, usd = 0) => ({ tokens, usd });
const step = (id: string, tokens?: number, steps?: readonly Step[]) =>
  ({
    id,
    limits: tokens === undefined ? {} : { tokens },
    body: steps ? { type: 'group', steps } : { type: 'leaf' },
  }) as Step;
const tallies = (limit: number, steps: readonly Step[] = [], past = 0) =>
  createTallies({ limits: { tokens: limit }, steps } as unknown as Plan, { used: used(past), usedBy: new Map() });
const whole = (limit: number, past = 0) => tallies(limit, [], past)('any');

/** Which of these have settled by now. */
async function settled(promises: readonly Promise<unknown>[]): Promise<boolean[]> {
  const known = promises.map(() => false);
  for (const [at, one] of promises.entries()) {
    const note = () => {
      known[at] = true;
    };
    one.then(note, note);
  }
  await new Promise((resolve) => setImmediate(resolve));
  return known;
}

describe('reserve', () => {
  it.each([
    [3, 5, 'tokens=8'],
    [3_000, 1_010, 'tokens=6000'],
    [7_777, 9_000, 'tokens=16000'],
  ])('under a limit of %d a call that needs %d names one that --limit takes: %s', async (limit, need, raise) => {
    const refused = whole(limit).reserve(used(Math.max(need, limit + 1)), never);
    await expect(refused).rejects.toMatchObject({ data: { code: 'run.limit', raise } });
  });

  it('lets eight branches that use little share a limit which their reservations pass', async () => {
    const budget = whole(8_000);
    const branches = Array.from({ length: 8 }, async () => {
      const reservation = await budget.reserve(used(1_010), never);
      await Promise.resolve();
      reservation.settle(used(30));
    });
    await expect(Promise.all(branches)).resolves.toHaveLength(8);
  });

  it('serves those that wait in the order in which they came, also a small one behind a large one', async () => {
    const budget = whole(100);
    const first = await budget.reserve(used(60), never);
    const large = budget.reserve(used(80), never);
    const small = budget.reserve(used(10), never);
    expect(await settled([large, small])).toEqual([false, false]);
    first.settle(used(20));
    expect(await settled([large, small])).toEqual([true, false]);
    (await large).settle(used(1));
    expect(await settled([small])).toEqual([true]);
  });

  it('refuses what can no longer fit: at once, or when what it waited for has settled', async () => {
    const budget = whole(100, 50);
    await expect(budget.reserve(used(51), never)).rejects.toThrow(
      /limit of the run is reached: 50 used.*about 51, limit 100/,
    );
    const first = await budget.reserve(used(30), never);
    const second = budget.reserve(used(40), never);
    expect(await settled([second])).toEqual([false]);
    first.settle(used(30));
    await expect(second).rejects.toMatchObject({ data: { code: 'run.limit' } });
    (await budget.reserve(used(20), never)).settle(used(20));
  });

  it('counts a call whose server does not say what it used as what was reserved', async () => {
    const budget = whole(100);
    (await budget.reserve(used(60), never)).settle(undefined);
    await expect(budget.reserve(used(41), never)).rejects.toThrow(/60 used/);
  });

  it('holds the limit of a step and of the run at once, and gives back what the other refused', async () => {
    const tally = tallies(100, [step('a', 50), step('g', undefined, [step('b')])]);
    (await tally('g/b').reserve(used(60), never)).settle(used(60));
    await expect(tally('a').reserve(used(45), never)).rejects.toThrow(/limit of the run/);
    (await tally('a').reserve(used(40), never)).settle(used(20));
    await expect(tally('a').reserve(used(31), never)).rejects.toThrow(/limit of step "a" is reached: 20 used/);
  });

  it('leaves the queue when its signal aborts, and lets the next one in', async () => {
    const budget = whole(100);
    const first = await budget.reserve(used(60), never);
    const stop = new AbortController();
    const large = budget.reserve(used(80), stop.signal);
    const small = budget.reserve(used(10), never);
    stop.abort(new Error('cancelled'));
    await expect(large).rejects.toThrow('cancelled');
    await small;
    first.settle(used(1));
    await expect(budget.reserve(used(1), AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });
});
