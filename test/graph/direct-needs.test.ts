import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { directNeeds } from '../../src/graph/direct-needs.js';

interface Listed {
  readonly id: string;
  readonly after: readonly string[];
}

/** Steps that need some of those before them, in any order of the file. */
const lists = fc
  .array(fc.array(fc.nat({ max: 30 }), { maxLength: 5 }), { minLength: 1, maxLength: 40 })
  .chain((needs) => {
    const steps = needs.map((list, place): Listed => {
      const after = list.filter((need) => need < place).map((need) => `s${need}`);
      return { id: `s${place}`, after };
    });
    return fc.shuffledSubarray(steps, { minLength: steps.length });
  });

function reach(edges: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const need of edges.get(id) ?? []) {
      if (seen.has(need)) continue;
      seen.add(need);
      open.push(need);
    }
  }
  return seen;
}

it('keeps what can be reached from each step', () => {
  fc.assert(
    fc.property(lists, (steps) => {
      const direct = directNeeds(steps);
      const all = new Map(steps.map(({ id, after }) => [id, after]));
      for (const { id } of steps) expect(reach(direct, id)).toEqual(reach(all, id));
    }),
  );
});

it('leaves out each need that another need implies', () => {
  fc.assert(
    fc.property(lists, (steps) => {
      const direct = directNeeds(steps);
      for (const needs of direct.values()) {
        for (const need of needs) {
          const others = needs.filter((other) => other !== need);
          expect(others.some((other) => reach(direct, other).has(need))).toBe(false);
        }
      }
    }),
  );
});

it('ends on a circle, which the check has refused', () => {
  const direct = directNeeds([
    { id: 'a', after: ['b'] },
    { id: 'b', after: ['a'] },
    { id: 'c', after: [] },
  ]);
  expect(direct.get('c')).toEqual([]);
});
