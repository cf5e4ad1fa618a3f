/** Attempts that were begun and of which nobody knows how they ended. */
import type { StepPath, Where } from '../core/outcome.js';

export interface Interrupted {
  begin(where: Where, key: string): void;
  /** At this place; with this key, if one is given. */
  at(path: StepPath, key?: string): boolean;
  /** Anywhere in the family, with this key: an item may have moved. */
  inFamily(family: string, key: string): boolean;
  /** How it ended is known now, and with it what became of every earlier attempt there: a step runs again only when that was settled. */
  settle(where: Where, key: string): void;
  /** The same of one that did not run: an earlier result was taken. An item that stood there before may be another. */
  settleReused(where: Where, key: string): void;
  /** The places that have one. */
  paths(): readonly StepPath[];
  /** How many places have one. */
  count(): number;
}

export function createInterrupted(): Interrupted {
  /** Place and key → family. */
  const open = new Map<StepPath, Map<string, string>>();
  const remove = (path: StepPath, key: string) => {
    const keys = open.get(path);
    keys?.delete(key);
    if (keys?.size === 0) open.delete(path);
  };
  /** Where the item stood before it moved. */
  const settleElsewhere = (family: string, key: string) => {
    const before = [...open].find(([, keys]) => keys.get(key) === family);
    if (before) remove(before[0], key);
  };
  return {
    begin({ path, family }, key) {
      const keys = open.get(path) ?? new Map<string, string>();
      open.set(path, keys.set(key, family));
    },
    at(path, key) {
      const keys = open.get(path);
      return keys !== undefined && (key === undefined || keys.has(key));
    },
    inFamily(family, key) {
      return [...open.values()].some((keys) => keys.get(key) === family);
    },
    settle({ path, family }, key) {
      const isHere = open.get(path)?.has(key) === true;
      open.delete(path);
      if (!isHere) settleElsewhere(family, key);
    },
    settleReused({ path, family }, key) {
      if (path === family) open.delete(path);
      else if (open.get(path)?.has(key)) remove(path, key);
      else settleElsewhere(family, key);
    },
    paths: () => [...open.keys()],
    count: () => open.size,
  };
}
