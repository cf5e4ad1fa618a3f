/** Which needs of a step are not implied by its other needs, so that a drawing has few lines. */
import type { Step } from '../core/plan.js';

/** By id: the needs that remain, in the order of the file. */
export function directNeeds(steps: readonly Pick<Step, 'id' | 'after'>[]): Map<string, readonly string[]> {
  const places = new Map(steps.map(({ id }, place) => [id, place]));
  const needs = steps.map(({ after }) => after.flatMap((id) => places.get(id) ?? []));
  const order = sorted(needs);
  const rank = new Map(order.map((place, at) => [place, at]));
  const before = new Map<number, Bits>();
  const direct = new Map<string, readonly string[]>();
  for (const place of order) {
    const reached = bits(steps.length);
    const latestFirst = [...new Set(needs[place])].sort((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0));
    const kept = latestFirst.filter((need) => {
      if (has(reached, need)) return false;
      add(reached, need);
      for (const [word, value] of (before.get(need) ?? []).entries()) reached[word] = (reached[word] ?? 0) | value;
      return true;
    });
    before.set(place, reached);
    const names = kept.sort((a, b) => a - b).flatMap((need) => steps[need]?.id ?? []);
    direct.set(steps[place]?.id ?? '', names);
  }
  return direct;
}

/** Places so that each stands after what it needs; what is in a circle is left out. */
function sorted(needs: readonly (readonly number[])[]): number[] {
  const open = needs.map((list) => new Set(list).size);
  const dependents = needs.map((): number[] => []);
  for (const [place, list] of needs.entries()) for (const need of new Set(list)) dependents[need]?.push(place);
  const order = open.flatMap((count, place) => (count === 0 ? [place] : []));
  for (const place of order) {
    for (const dependent of dependents[place] ?? []) {
      open[dependent] = (open[dependent] ?? 0) - 1;
      if (open[dependent] === 0) order.push(dependent);
    }
  }
  return order;
}

type Bits = Uint32Array;

function bits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

function add(set: Bits, member: number): void {
  set[member >>> 5] = (set[member >>> 5] ?? 0) | (1 << (member & 31));
}

function has(set: Bits, member: number): boolean {
  return ((set[member >>> 5] ?? 0) & (1 << (member & 31))) !== 0;
}
