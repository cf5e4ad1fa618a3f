import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, FRESH, type GuardState, watchLoop } from '../../src/agent/guards.js';
import type { Message } from '../../src/core/model.js';

/** The same by 64-bit numbers. */
function wide(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}

describe('digestOf', () => {
  it('is 64-bit FNV-1a over name, bar, arguments, semicolon', () => {
    expect(digestOf([])).toBe('cbf29ce484222325');
    expect(digestOf([{ name: 'read_file', arguments: '{"path":"a"}' }])).toBe('250752ff800338c3');
    expect(wide('')).toBe('cbf29ce484222325');
    expect(wide('a')).toBe('af63dc4c8601ec8c');
  });

  it('is the same as with 64-bit numbers, for any text', () => {
    const call = fc.record({ name: fc.string(), arguments: fc.string({ unit: 'binary', maxLength: 300 }) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), (calls) => {
        expect(digestOf(calls)).toBe(wide(calls.map((one) => `${one.name}|${one.arguments};`).join('')));
      }),
    );
  });
});

const call = (name: string) => [{ name, arguments: '{}' }];
const result = (text: string): Message[] => [{ role: 'tool', callId: '1', name: 'x', text, error: false }];

/** Feeds rounds until the guard stops them; says in which round it warned and stopped, from 1. */
function watch(rounds: readonly (readonly [name: string, result: string])[], window = 3) {
  let state: GuardState = FRESH;
  const warned: number[] = [];
  for (const [index, [name, text]] of rounds.entries()) {
    try {
      const looked = watchLoop(state, call(name), result(text), window);
      state = looked.state;
      if (looked.warn) warned.push(index + 1);
    } catch {
      return { warned, stopped: index + 1 };
    }
  }
  return { warned, stopped: undefined };
}

const times = <T>(count: number, ...items: T[]): T[] => Array.from({ length: count }, () => items).flat();

describe('watchLoop', () => {
  it('warns at the second repetition and stops at the third', () => {
    expect(watch(times(5, ['a', 'same'] as const))).toEqual({ warned: [2], stopped: 3 });
  });
  it('sees a cycle of two rounds, and of three', () => {
    expect(watch(times(5, ['a', '1'] as const, ['b', '2'] as const)).stopped).toBe(6);
    expect(watch(times(5, ['a', '1'] as const, ['b', '2'] as const, ['c', '3'] as const)).stopped).toBe(9);
  });
  it('lets a repeated call go on whose result changes', () => {
    expect(watch(Array.from({ length: 20 }, (_, index) => ['poll', String(index)] as const))).toEqual({
      warned: [],
      stopped: undefined,
    });
  });
  it('says the last error that came back, cut, and nothing where there is none', () => {
    const stopped = (error: boolean, text: string) => {
      let state: GuardState = FRESH;
      try {
        for (;;) state = watchLoop(state, call('resolve'), [{ ...result(text)[0], error } as Message], 3).state;
      } catch (fault) {
        return (fault as Error).message;
      }
    };
    const said = 'the agent made the same calls with the same results 3 times (resolve)';
    expect(stopped(true, 'Error: resolve:\n- answer: Must be zz.')).toBe(
      `${said}; the last error: resolve: - answer: Must be zz.`,
    );
    expect(stopped(true, 'x'.repeat(1_000))).toBe(`${said}; the last error: ${'x'.repeat(299)}…`);
    expect(stopped(false, 'fine')).toBe(said);
  });
  it('is off with a window of 0', () => {
    expect(watch(times(20, ['a', 'same'] as const), 0).stopped).toBeUndefined();
  });
});
