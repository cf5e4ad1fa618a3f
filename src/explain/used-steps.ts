/** The steps whose values went into another: where they are, and what they gave at two times. */

import { type Difference, differences } from '../core/compare-json.js';
import { hashJson, type Json } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { type History, holdersOf, lastBefore, type Visit } from './history.js';
import { summary } from './say.js';

export interface UsedStep {
  readonly id: string;
  readonly path: StepPath;
  /** It, or a step in it, ran in this session. */
  readonly ranAgain: boolean;
  readonly value: 'equal' | 'other';
  /** Of an `other` value, in words. */
  readonly summary?: string;
  readonly differences: readonly Difference[];
}

/** What they gave when this visit began, held against what they had given when the earlier one did. */
export function usedSteps(history: History, visit: Visit, earlier: Visit): UsedStep[] {
  return visit.uses.flatMap((id): UsedStep[] => {
    const path = pathOf(history, visit.path, id);
    if (path === undefined) return [];
    const earlierPath = pathOf(history, earlier.path, id) ?? path;
    const before = settledAt(history, earlierPath, earlier.from);
    const now = settledAt(history, path, visit.from);
    return [{ id, path, ranAgain: ranIn(history, path, visit.session), ...comparedValues(before, now) }];
  });
}

type Compared = Pick<UsedStep, 'value' | 'summary' | 'differences'>;

const EQUAL: Compared = { value: 'equal', differences: [] };
/** All items of a loop compare the same values. */
const compared = new WeakMap<Visit, WeakMap<Visit, Compared>>();

function comparedValues(before: Visit | undefined, now: Visit | undefined): Compared {
  if (before === now) return EQUAL;
  if (!before || !now) return compare(before?.output ?? null, now?.output ?? null);
  const known = compared.get(before) ?? new WeakMap<Visit, Compared>();
  compared.set(before, known);
  const result = known.get(now) ?? compare(before.output, now.output);
  known.set(now, result);
  return result;
}

function compare(before: Json, now: Json): Compared {
  if (hashJson(before) === hashJson(now)) return EQUAL;
  return { value: 'other', summary: summary(before, now), differences: differences(before, now) };
}

/** An id is looked for beside the step, then around it. */
export function pathOf(history: History, from: StepPath, id: string): StepPath | undefined {
  const parts = from.split('/');
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const path = [...parts.slice(0, depth), id].join('/');
    if (history.visits.has(path)) return path;
  }
  return undefined;
}

/** The step's output as it stood before this record; null if it had none. */
export function valueAt(history: History, path: StepPath, order: number): Json {
  return settledAt(history, path, order)?.output ?? null;
}

function settledAt(history: History, path: StepPath, order: number): Visit | undefined {
  return history.visits.get(path)?.findLast(({ to }) => to < order);
}

/** Groups and loops are recorded anew each time: what counts is whether a step in them ran. */
function ranIn(history: History, path: StepPath, session: number): boolean {
  const own = history.visits.get(path)?.findLast((visit) => visit.session === session);
  if (own && own.key !== '') return own.ending.type !== 'reused';
  return heldOfRan(history, session).has(path);
}

const ran = new WeakMap<History, Map<number, Set<StepPath>>>();

/** What holds a step that ran in this session. */
function heldOfRan(history: History, session: number): ReadonlySet<StepPath> {
  const bySession = ran.get(history) ?? new Map<number, Set<StepPath>>();
  ran.set(history, bySession);
  const known = bySession.get(session);
  if (known) return known;
  const hasRun = (visits: readonly Visit[]) =>
    visits.some((one) => one.session === session && one.key !== '' && one.ending.type !== 'reused');
  const held = holdersOf([...history.visits].filter(([, visits]) => hasRun(visits)).map(([path]) => path));
  bySession.set(session, held);
  return held;
}

/** The value of `steps.<id>.output.a.b` as a step saw it. */
export function valueSeenBy(
  history: History,
  visit: Visit,
  id: string,
  members: readonly string[],
): { readonly path: StepPath; readonly value: Json } | undefined {
  const path = pathOf(history, visit.path, id);
  if (path === undefined || !lastBefore(history, path, visit.from)) return undefined;
  let value: Json = valueAt(history, path, visit.from);
  for (const name of members) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, Json>>)[name] ?? null;
  }
  return { path, value };
}
