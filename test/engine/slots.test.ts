import { expect, it } from 'vitest';
import { allOf, createSlots, pooled } from '../../src/engine/slots.js';

it('gives places in the order they were asked for, and a place only once', async () => {
  const slots = createSlots(1);
  const order: string[] = [];
  const first = await slots.take();
  const later = ['a', 'b'].map(async (name) => {
    const give = await slots.take();
    order.push(name);
    give();
  });
  first();
  first();
  await Promise.all(later);
  expect(order).toEqual(['a', 'b']);
});

it('starts the work of a pool in order, never more at once than its limit, results in order', async () => {
  let now = 0;
  let most = 0;
  const started: number[] = [];
  const results = await pooled([0, 1, 2, 3, 4, 5, 6], 3, async (item) => {
    started.push(item);
    now++;
    most = Math.max(most, now);
    for (let turn = 0; turn < 7 - item; turn++) await Promise.resolve();
    now--;
    return item * 2;
  });
  expect(results).toEqual([0, 2, 4, 6, 8, 10, 12]);
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(3);
});

it('throws only when nothing is left running', async () => {
  let finished = false;
  const slow = (async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    finished = true;
  })();
  await expect(allOf([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(finished).toBe(true);
});
