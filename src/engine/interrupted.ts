/** Attempts that were begun and of which nobody knows how they ended. */
import type { StepPath, Where } from '../core/outcome.js';

export interface Interrupted {
  begin(where: Where, key: string): void;
  /** At this place, with this key. */
  at(path: StepPath, key: string): boolean;
  /**
   * Whether such an attempt was at what is to be done here: `this` step or item, at whatever place it stood; or, at this place, an item that
   * may be another one, or this one before its author changed the step: nothing tells the two apart.
   */
  concerns(where: Where, key: string): 'this' | 'perhaps this' | undefined;
  /** How it ended is known now, and with it what became of every earlier attempt there: a step runs again only when that was settled. */
  settle(where: Where, key: string): void;
  /** The same of one that did not run: an earlier result was taken. What stood there before may be another item. */
  settleReused(where: Where, key: string): void;
  /** The places that have one. */
  paths(): readonly StepPath[];
  /** How many places have one. */
  count(): number;
}

export function createInterrupted(): Interrupted {
  /** Place → its keys, each with its family. */
  const open = new Map<StepPath, Map<string, string>>();
  /** Place and key of every attempt, however it ended. */
  const begun = new Set<string>();
  /** Family and key of items at whose place another one is settled by now. */
  const displaced = new Set<string>();
  const nameOf = (familyOrPlace: string, key: string) => `${familyOrPlace} ${key}`;
  const remove = (path: StepPath, key: string) => {
    const keys = open.get(path);
    keys?.delete(key);
    if (keys?.size === 0) open.delete(path);
  };
  const placeOf = (family: string, key: string) => [...open].find(([, keys]) => keys.get(key) === family)?.[0];
  return {
    begin({ path, family }, key) {
      const keys = open.get(path) ?? new Map<string, string>();
      open.set(path, keys.set(key, family));
      begun.add(nameOf(path, key));
    },
    at: (path, key) => open.get(path)?.has(key) === true,
    concerns({ path, family }, key) {
      const isItem = path !== family;
      if (isItem && (displaced.has(nameOf(family, key)) || placeOf(family, key) !== undefined)) return 'this';
      if (!open.has(path)) return undefined;
      return isItem ? 'perhaps this' : 'this';
    },
    settle({ path, family }, key) {
      const keys = open.get(path) ?? new Map<string, string>();
      open.delete(path);
      if (path === family) return;
      for (const other of keys.keys()) if (other !== key) displaced.add(nameOf(family, other));
      displaced.delete(nameOf(family, key));
      // What was begun here before has not moved: an attempt of the same key elsewhere is that of an equal item.
      const before = begun.has(nameOf(path, key)) ? undefined : placeOf(family, key);
      if (before !== undefined) remove(before, key);
    },
    settleReused({ path, family }, key) {
      if (path === family) open.delete(path);
      else remove(path, key);
    },
    paths: () => [...open.keys()],
    count: () => open.size,
  };
}
