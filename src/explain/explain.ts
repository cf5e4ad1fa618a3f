/** What happened to a step in the last session that came to it, and why. */
import type { FaultData } from '../core/faults.js';
import { isObject, type Json } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { blockerIn } from '../core/reasons.js';
import { idsOf } from '../core/step-path.js';
import { partName } from './compare-keys.js';
import { readsOf } from './files.js';
import {
  type Ending,
  type Fallback,
  type History,
  hasSucceeded,
  type Outcome,
  type SessionStart,
  type Visit,
} from './history.js';
import { pathOf, type UsedStep, usedSteps, valueSeenBy } from './used-steps.js';
import { type Reason, whyItRan } from './why.js';

export type Explanation = {
  readonly path: StepPath;
  readonly outcome: Outcome;
  readonly session: SessionStart;
  /** Later sessions did not come to it. */
  readonly isOld: boolean;
  readonly at: string;
} & (
  | {
      readonly type: 'ran';
      readonly reasons: readonly Reason[];
      readonly earlier?: { readonly at: string; readonly outcome: Outcome };
      readonly attempts: number;
      /** Faults of the attempts before the last. */
      readonly retries: readonly FaultData[];
      readonly fallbacks: readonly Fallback[];
      readonly notices: readonly string[];
      readonly ms?: number;
      readonly fault?: FaultData;
      /** What it said when it ended, waits for, or was stopped by. */
      readonly message?: string;
    }
  | {
      readonly type: 'reused';
      readonly from: { readonly path: StepPath; readonly at: string; readonly isOrigin: boolean };
      readonly uses: readonly UsedStep[];
      /** What would have changed its key. */
      readonly dependsOn: readonly string[];
    }
  | {
      readonly type: 'skipped';
      readonly reason: string;
      /** What its condition read, as far as it can be told. */
      readonly reads: readonly { readonly expression: string; readonly value: Json }[];
      readonly cause?: { readonly path: StepPath; readonly outcome: Outcome; readonly fault?: FaultData };
    }
  | {
      /** It came to this without an attempt: what it needs could not be had, or a person has to say something, or has. */
      readonly type: 'unbegun';
      readonly notices: readonly string[];
      readonly fault?: FaultData;
      readonly message?: string;
    }
  | {
      /** A group or a loop. */
      readonly type: 'holds';
      readonly counts: Readonly<Partial<Record<Outcome, number>>>;
      readonly fault?: FaultData;
    }
);

/** @param path of a step that the run came to */
export function explained(history: History, path: StepPath): Explanation | undefined {
  const visit = history.visits.get(path)?.at(-1);
  const session = visit && history.sessions[visit.session - 1];
  if (!session) return undefined;
  const { at, ending } = visit;
  const facts = { path, outcome: ending.type, session, isOld: visit.session < history.sessions.length, at };
  if (ending.type === 'reused') return { ...facts, type: 'reused', ...whyReused(history, visit) };
  if (ending.type === 'skipped') return { ...facts, type: 'skipped', ...whySkipped(history, visit, ending.reason) };
  if (visit.holds || history.holders.has(path)) {
    const inner = innerCounts(history, visit);
    return { ...facts, type: 'holds', counts: inner, ...(ending.type === 'failed' ? { fault: ending.fault } : {}) };
  }
  if (visit.attempts === 0) {
    const { ms: _, ...end } = endOf(ending);
    return { ...facts, type: 'unbegun', notices: visit.notices, ...end };
  }
  const { reasons, earlier } = whyItRan(history, visit);
  return {
    ...facts,
    type: 'ran',
    reasons,
    ...(earlier ? { earlier: { at: earlier.at, outcome: earlier.ending.type } } : {}),
    attempts: visit.attempts,
    retries: visit.retries,
    fallbacks: visit.fallbacks,
    notices: visit.notices,
    ...endOf(ending),
  };
}

function endOf(ending: Ending): { ms?: number; fault?: FaultData; message?: string } {
  switch (ending.type) {
    case 'done':
      return { ms: ending.ms };
    case 'failed':
      return { fault: ending.fault };
    case 'ended':
      return { message: `${ending.outcome}: ${ending.message}` };
    case 'waiting':
      return { message: questionOf(ending.ask) };
    case 'stopped':
      return { message: ending.reason };
    default:
      return {};
  }
}

function questionOf(ask: Json): string {
  const said = isObject(ask) ? (ask.question ?? ask) : ask;
  return typeof said === 'string' ? said : JSON.stringify(said);
}

function whyReused(history: History, visit: Visit) {
  const origin = originOf(history, visit);
  const reads = [...readsOf(visit).keys()].map((path) => `file ${path}`);
  return {
    from: {
      path: origin.path,
      at: origin.at,
      isOrigin: history.sessions[origin.session - 1]?.isOrigin ?? false,
    },
    uses: usedSteps(history, visit, origin),
    dependsOn: [
      ...Object.keys(visit.parts)
        .filter((part) => part !== 'kind')
        .map(partName),
      ...reads,
    ],
  };
}

/** The attempt that made the result, over all the times that it was reused since. */
function originOf(history: History, visit: Visit): Visit {
  let at = visit;
  while (at.ending.type === 'reused') {
    const { key, ending, from: order } = at;
    const before = history.visits
      .get(ending.from)
      ?.findLast((one) => one.from < order && one.key === key && hasSucceeded(one.ending));
    if (!before) return at;
    at = before;
  }
  return at;
}

function whySkipped(history: History, visit: Visit, reason: string) {
  const blocker = blockerIn(reason);
  if (blocker !== undefined) {
    const path = pathOf(history, visit.path, blocker);
    const cause = path === undefined ? undefined : history.visits.get(path)?.at(-1);
    if (path === undefined || !cause) return { reason, reads: [] };
    const { ending } = cause;
    const fault = ending.type === 'failed' ? { fault: ending.fault } : {};
    return { reason, reads: [], cause: { path, outcome: ending.type, ...fault } };
  }
  return { reason, reads: valuesRead(history, visit, reason) };
}

/** `steps.a.output.b.c`; the name of a method at its end is not part of it. */
const READS = /\bsteps\.(\w+)\.output((?:\.[A-Za-z_]\w*(?!\w*\())*)/g;

function valuesRead(history: History, visit: Visit, source: string) {
  const seen = new Map<string, Json>();
  for (const [expression, id = '', members = ''] of source.matchAll(READS)) {
    const found = valueSeenBy(history, visit, id, members.split('.').filter(Boolean));
    if (found) seen.set(expression, found.value);
  }
  return [...seen].map(([expression, value]) => ({ expression, value }));
}

/** Of the steps in it that hold no others, in its own session. */
function innerCounts(history: History, visit: Visit): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const path of leavesBelow(history, visit.path)) {
    const last = history.visits.get(path)?.findLast(({ session }) => session === visit.session);
    if (last) counts[last.ending.type] = (counts[last.ending.type] ?? 0) + 1;
  }
  return counts;
}

/** Steps at or below a path that hold no others. */
function leavesBelow(history: History, path: StepPath): StepPath[] {
  return [...history.visits.keys()].filter((one) => one.startsWith(`${path}/`) && !history.holders.has(one));
}

/** What a person means by a path, or by ids: its every item and round. Empty when the run knows no such step. */
export function pathsMeant(history: History, name: string): StepPath[] {
  if (history.visits.has(name)) {
    const items = leavesBelow(history, name).filter((path) => /^(\/\d+)+$/.test(path.slice(name.length)));
    return items.length > 0 ? items : [name];
  }
  const paths = [...history.visits.keys()].filter((path) => `/${idsOf(path)}`.endsWith(`/${name}`));
  const leaves = paths.filter((path) => !history.holders.has(path));
  return leaves.length > 0 ? leaves : paths.filter((path) => !/\/\d+$/.test(path));
}

/** Every step that holds no others, by its ids, with its places; in the order in which the run first came to them. */
export function leafIds(history: History): Map<string, StepPath[]> {
  const byIds = new Map<string, StepPath[]>();
  for (const path of history.visits.keys()) {
    if (history.holders.has(path)) continue;
    const ids = idsOf(path);
    const paths = byIds.get(ids) ?? [];
    byIds.set(ids, paths);
    paths.push(path);
  }
  return byIds;
}

/** Steps of the plan itself, not of its groups, that no session came to. */
export function idsNotReached({ opening, visits }: History): string[] {
  return (opening?.steps ?? []).map(({ id }) => id).filter((id) => !visits.has(id));
}
