/** What is known of a list of steps before their types: who has which id, which ends stand where. */
import type { Expression } from '../core/expression.js';
import type { Draft } from './draft.js';

export interface KnownList {
  readonly byId: ReadonlyMap<string, readonly Draft[]>;
  readonly places: ReadonlyMap<Draft, number>;
  readonly ends: readonly { readonly place: number; readonly guard: Expression }[];
}

export function knowList(list: readonly Draft[]): KnownList {
  const byId = new Map<string, Draft[]>();
  for (const draft of list) byId.set(draft.id, [...(byId.get(draft.id) ?? []), draft]);
  return {
    byId,
    places: new Map(list.map((draft, place) => [draft, place])),
    ends: list.flatMap((draft, place) => endGuard(draft).map((guard) => ({ place, guard }))),
  };
}

/** Conditions of ends that did not come about, or the step would not run. */
export function endsAbove(draft: Draft, { ends, places }: KnownList): Expression[] {
  const own = places.get(draft) ?? 0;
  return ends.filter(({ place }) => place < own).map(({ guard }) => guard);
}

/** The condition of an end; of any other step none. */
export function endGuard(draft: Draft): Expression[] {
  const isEnd = draft.body.type === 'leaf' && draft.body.kind.name === 'end';
  return isEnd && draft.when ? [draft.when] : [];
}
