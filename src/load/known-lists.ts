/** What is known of a list of steps before their types: who has which id, which ends stand where. */
import type { Expression, Ref } from '../core/expression.js';
import type { Draft } from './draft.js';

export interface KnownList {
  readonly byId: ReadonlyMap<string, readonly Draft[]>;
  readonly places: ReadonlyMap<Draft, number>;
  readonly ends: readonly End[];
}

interface End {
  readonly place: number;
  readonly guard: Expression;
  /** The names that it speaks of. */
  readonly about: ReadonlySet<string>;
}

export function knowList(list: readonly Draft[]): KnownList {
  const byId = new Map<string, Draft[]>();
  for (const draft of list) byId.set(draft.id, [...(byId.get(draft.id) ?? []), draft]);
  return {
    byId,
    places: new Map(list.map((draft, place) => [draft, place])),
    ends: list.flatMap((draft, place) => endGuard(draft).map((guard) => ({ place, guard, about: namesIn([guard]) }))),
  };
}

/**
 * Conditions of ends that did not come about, or the step would not run: those that speak of what it reads, or of what another one of
 * them speaks of.
 */
export function endsAbove(draft: Draft, expressions: readonly Expression[], { ends, places }: KnownList): Expression[] {
  const own = places.get(draft) ?? 0;
  const above = ends.filter(({ place }) => place < own);
  if (above.length === 0) return [];
  const names = namesIn(expressions);
  const found = new Set<End>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const end of above) {
      if (found.has(end) || !(names.has(ANY) || [...end.about].some((name) => name === ANY || names.has(name))))
        continue;
      found.add(end);
      for (const name of end.about) names.add(name);
    }
  }
  return above.filter((end) => found.has(end)).map(({ guard }) => guard);
}

/** Stands for a step that is chosen by a value. */
const ANY = 'steps';

function namesIn(expressions: readonly Expression[]): Set<string> {
  return new Set(expressions.flatMap(({ refs }) => refs.map(nameOf)));
}

function nameOf({ root, path: [first] }: Ref): string {
  // A number of rounds says whether there was a round before.
  if (root === 'iteration') return 'previous';
  if (root !== 'steps') return root;
  return typeof first === 'string' ? `steps.${first}` : ANY;
}

/** The condition of an end; of any other step none. */
export function endGuard(draft: Draft): Expression[] {
  const isEnd = draft.body.type === 'leaf' && draft.body.kind.name === 'end';
  return isEnd && draft.when ? [draft.when] : [];
}
