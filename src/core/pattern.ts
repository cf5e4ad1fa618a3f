/** Says whether a regular expression can be trusted with any text. */
import { type Automaton, automatonOf } from './pattern-automaton.js';

/** Patterns with more places than this are not analysed, and refused. */
const MAX_PLACES = 400;
/** Steps of the search for chained loops; a pattern that needs more counts as chained. */
const MAX_CHAIN_WORK = 30_000;

/**
 * Why this pattern is refused, or undefined. Refused is what cannot be compiled, what looks around or back, and what has two ways to
 * read one text inside a loop: there a backtracking engine needs time that doubles with each character.
 */
export function unsafeRegex(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: /, '');
  }
  const automaton = automatonOf(pattern, MAX_PLACES);
  if ('refused' in automaton) return automaton.refused;
  if (automaton.twice)
    return 'a loop stands directly in a loop, such as (a+)+, so that one text can be read in very many ways';
  if (isAmbiguous(automaton)) return 'a loop can read one text in two ways, such as (a|a)* or (a|ab|b)*';
  if (chainedLoops(automaton) > 2) return 'more than two loops in a row can read the same text, such as .*.*.*';
  return undefined;
}

/** Two different ways from a place back to it, over the same text. */
function isAmbiguous(automaton: Automaton): boolean {
  const { places, follow } = automaton;
  const size = places.length;
  const reached = places.map((_, place) => reach(place, (at) => follow[at] ?? []));
  const isRound = (from: number, to: number): boolean => Boolean(reached[from]?.has(to) && reached[to]?.has(from));
  return places.some((_, place) => {
    if (!isRound(place, place)) return false;
    const start = place * size + place;
    const forward = (from: number): Set<number> =>
      reach(from, (pair) =>
        steps(automaton, Math.floor(pair / size), pair % size).filter(
          (to) => isRound(place, Math.floor(to / size)) && isRound(place, to % size),
        ),
      );
    const apart = [...forward(start)].filter((pair) => Math.floor(pair / size) !== pair % size);
    return apart.some((pair) => forward(pair).has(start));
  });
}

/** The most loops that one after the other can read the same text. */
function chainedLoops(automaton: Automaton): number {
  const { places, follow } = automaton;
  const size = places.length;
  const reached = places.map((_, place) => reach(place, (at) => follow[at] ?? []));
  const loops = places.map((_, place) => place).filter((place) => reached[place]?.has(place));
  let work = 0;
  const after = (p: number, q: number): boolean => {
    if (p === q || !reached[p]?.has(q) || reached[q]?.has(p)) return false;
    // p stays in its loop, and goes over to q, and q stays in its own, all over the same text.
    const found = reach((p * size + p) * size + q, (triple) => {
      if (work++ > MAX_CHAIN_WORK) return [];
      const c = triple % size;
      const b = Math.floor(triple / size) % size;
      const a = Math.floor(triple / size / size);
      return steps(automaton, a, b).flatMap((pair) =>
        (follow[c] ?? [])
          .filter((d) => meets3(automaton, Math.floor(pair / size), pair % size, d))
          .map((d) => pair * size + d),
      );
    });
    return work > MAX_CHAIN_WORK || found.has((p * size + q) * size + q);
  };
  const depth = new Map<number, number>();
  const longest = (place: number): number => {
    const known = depth.get(place);
    if (known !== undefined) return known;
    const most = 1 + Math.max(0, ...loops.filter((other) => after(place, other)).map(longest));
    depth.set(place, most);
    return most;
  };
  return Math.max(0, ...loops.map(longest));
}

function steps({ places, follow }: Automaton, p: number, q: number): number[] {
  const size = places.length;
  return (follow[p] ?? []).flatMap((a) =>
    (follow[q] ?? [])
      .filter((b) => places[a]?.some((x) => places[b]?.some((y) => meet(x, y))))
      .map((b) => a * size + b),
  );
}

type Range = readonly [low: number, high: number];

function meet(a: Range, b: Range): boolean {
  return a[0] <= b[1] && b[0] <= a[1];
}

function meets3({ places }: Automaton, a: number, b: number, c: number): boolean {
  return (places[a] ?? []).some((x) =>
    (places[b] ?? []).some((y) =>
      (places[c] ?? []).some((z) => Math.max(x[0], y[0], z[0]) <= Math.min(x[1], y[1], z[1])),
    ),
  );
}

/** What can be reached by one step or more. */
function reach(start: number, next: (at: number) => readonly number[]): Set<number> {
  const found = new Set<number>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const to of next(at)) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}
