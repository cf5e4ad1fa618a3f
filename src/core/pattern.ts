/** Says whether a regular expression can be trusted with any text. */
import { type Automaton, automatonOf } from './pattern-automaton.js';

/** Patterns with more places than this are not analysed, and refused. */
const MAX_PLACES = 400;
const MAX_LENGTH = 5_000;
/** Steps of the search for chained loops; a pattern that needs more counts as chained. */
const MAX_CHAIN_WORK = 30_000;
/** Comparisons of characters that all of it may take: seconds. */
const MAX_WORK = 8_000_000;

/** What is left to be spent on patterns. */
export interface PatternWork {
  left: number;
  readonly known: Map<string, string | undefined>;
}

export function patternWork(): PatternWork {
  return { left: MAX_WORK, known: new Map() };
}

class Intricate extends Error {}

function spend(work: PatternWork, amount: number): void {
  work.left -= amount;
  if (work.left < 0) throw new Intricate();
}

/**
 * Why this pattern is refused, or undefined. Refused is what cannot be compiled, what looks around or back, and what has two ways to
 * read one text inside a loop: there a backtracking engine needs time that doubles with each character.
 * @param work shared by patterns that are judged one after the other
 */
export function unsafeRegex(pattern: string, work = patternWork()): string | undefined {
  if (!work.known.has(pattern)) work.known.set(pattern, refusal(pattern, work));
  return work.known.get(pattern);
}

function refusal(pattern: string, work: PatternWork): string | undefined {
  if (pattern.length > MAX_LENGTH) return 'it is too long to be checked';
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: /, '');
  }
  try {
    spend(work, pattern.length);
    return judged(automatonOf(pattern, MAX_PLACES), work);
  } catch (error) {
    if (error instanceof Intricate) return 'it is too intricate to be checked';
    throw error;
  }
}

function judged(automaton: ReturnType<typeof automatonOf>, work: PatternWork): string | undefined {
  if ('refused' in automaton) return automaton.refused;
  if (automaton.twice)
    return 'a loop stands directly in a loop, such as (a+)+, so that one text can be read in very many ways';
  if (isAmbiguous(automaton, work)) return 'a loop can read one text in two ways, such as (a|a)* or (a|ab|b)*';
  if (chainedLoops(automaton, work) > 2) return 'more than two loops in a row can read the same text, such as .*.*.*';
  return undefined;
}

/** Two different ways from a place back to it, over the same text. */
function isAmbiguous(automaton: Automaton, work: PatternWork): boolean {
  const { places, follow } = automaton;
  const size = places.length;
  const reached = places.map((_, place) => reach(place, work, (at) => follow[at] ?? []));
  const isRound = (from: number, to: number): boolean => Boolean(reached[from]?.has(to) && reached[to]?.has(from));
  return places.some((_, place) => {
    if (!isRound(place, place)) return false;
    const start = place * size + place;
    const forward = (from: number): Set<number> =>
      reach(from, work, (pair) =>
        steps(automaton, Math.floor(pair / size), pair % size, work).filter(
          (to) => isRound(place, Math.floor(to / size)) && isRound(place, to % size),
        ),
      );
    const apart = [...forward(start)].filter((pair) => Math.floor(pair / size) !== pair % size);
    return apart.some((pair) => forward(pair).has(start));
  });
}

/** The most loops that one after the other can read the same text. */
function chainedLoops(automaton: Automaton, work: PatternWork): number {
  const { places, follow } = automaton;
  const size = places.length;
  const reached = places.map((_, place) => reach(place, work, (at) => follow[at] ?? []));
  const loops = places.map((_, place) => place).filter((place) => reached[place]?.has(place));
  let tried = 0;
  const after = (p: number, q: number): boolean => {
    if (p === q || !reached[p]?.has(q) || reached[q]?.has(p)) return false;
    // p stays in its loop, and goes over to q, and q stays in its own, all over the same text.
    const found = reach((p * size + p) * size + q, work, (triple) => {
      if (tried++ > MAX_CHAIN_WORK) return [];
      const c = triple % size;
      const b = Math.floor(triple / size) % size;
      const a = Math.floor(triple / size / size);
      return steps(automaton, a, b, work).flatMap((pair) =>
        (follow[c] ?? [])
          .filter((d) => meets3(automaton, Math.floor(pair / size), pair % size, d, work))
          .map((d) => pair * size + d),
      );
    });
    return tried > MAX_CHAIN_WORK || found.has((p * size + q) * size + q);
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

function steps({ places, follow }: Automaton, p: number, q: number, work: PatternWork): number[] {
  const size = places.length;
  for (const a of follow[p] ?? []) {
    for (const b of follow[q] ?? []) spend(work, 1 + (places[a]?.length ?? 0) * (places[b]?.length ?? 0));
  }
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

function meets3({ places }: Automaton, a: number, b: number, c: number, work: PatternWork): boolean {
  spend(work, 1 + (places[a]?.length ?? 0) * (places[b]?.length ?? 0) * (places[c]?.length ?? 0));
  return (places[a] ?? []).some((x) =>
    (places[b] ?? []).some((y) =>
      (places[c] ?? []).some((z) => Math.max(x[0], y[0], z[0]) <= Math.min(x[1], y[1], z[1])),
    ),
  );
}

/** What can be reached by one step or more. */
function reach(start: number, work: PatternWork, next: (at: number) => readonly number[]): Set<number> {
  const found = new Set<number>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    spend(work, 1);
    for (const to of next(at)) {
      spend(work, 1);
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}
