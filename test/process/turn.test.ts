import { afterEach, beforeEach, expect, it } from 'vitest';
import { inTurn } from '../../src/process/turn.js';

/** More than what starts may take of one turn. */
const LONG_MS = 20;

let turn: number;
let counting: NodeJS.Immediate;

beforeEach(() => {
  turn = 0;
  const count = () => {
    turn++;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
});
afterEach(() => clearImmediate(counting));

function long<T>(result: () => T): T {
  const end = performance.now() + LONG_MS;
  while (performance.now() < end);
  return result();
}

it('lets the loop turn between starts that take long, first come, first served', async () => {
  const order: number[] = [];
  const started = (index: number) => () => long(() => order.push(index) && turn);

  const turns = await Promise.all([0, 1, 2, 3].map((index) => inTurn(started(index))));

  expect(order).toEqual([0, 1, 2, 3]);
  expect(new Set(turns).size).toBe(4);
});

it('goes on behind a start that throws', async () => {
  const failed = inTurn(() =>
    long(() => {
      throw new Error('no such program');
    }),
  );
  const after = inTurn(() => turn);

  await expect(failed).rejects.toThrow('no such program');
  expect(await after).toBeGreaterThan(0);
});

it('keeps a start that comes alone waiting for nothing', () => {
  let started = false;
  void inTurn(() => {
    started = true;
  });
  expect(started).toBe(true);
});
