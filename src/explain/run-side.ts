/** One of two runs that are held against each other: which of its visits stand for what it came to, what they took. */
import type { Recorded } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import type { History, Visit } from './history.js';

export interface RunSide {
  readonly history: History;
  readonly records: readonly Recorded[];
  /** The first of the sessions whose steps make up what the run came to. */
  readonly since: number;
}

/** A pair: of the first run, of the second. */
export type Both<T> = readonly [T, T];

export interface Figures {
  readonly calls: number;
  readonly tokens: number;
  /** Calls whose tokens are not known. */
  readonly unknownCalls: number;
  readonly ms: number;
}

export function pathsOf({ history, since }: RunSide): StepPath[] {
  return [...history.visits]
    .filter(([, visits]) => visits.some(({ session }) => session >= since))
    .map(([path]) => path);
}

export function lastVisit({ history, since }: RunSide, path: StepPath): Visit | undefined {
  return history.visits.get(path)?.findLast(({ session }) => session >= since);
}

/** Over all sessions, but for those of the run that it was forked from. */
function ownVisits({ history }: RunSide, path: StepPath): Visit[] {
  const { sessions } = history;
  return (history.visits.get(path) ?? []).filter(({ session }) => sessions[session - 1]?.isOrigin === false);
}

/** What the run itself spent on a step. */
export function tookAt(side: RunSide, path: StepPath): Figures {
  return sumOf(ownVisits(side, path).map(figuresOf));
}

function figuresOf({ calls, tokens, unknownCalls, ending }: Visit): Figures {
  return { calls, tokens, unknownCalls, ms: ending.type === 'done' ? ending.ms : 0 };
}

const NOTHING: Figures = { calls: 0, tokens: 0, unknownCalls: 0, ms: 0 };

export function sumOf(all: readonly Figures[]): Figures {
  return all.reduce(
    (sum, { calls, tokens, unknownCalls, ms }) => ({
      calls: sum.calls + calls,
      tokens: sum.tokens + tokens,
      unknownCalls: sum.unknownCalls + unknownCalls,
      ms: sum.ms + ms,
    }),
    NOTHING,
  );
}
