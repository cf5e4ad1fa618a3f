/** One of two runs that are held against each other: which of its visits stand for what it came to, what they took. */
import type { Recorded, UsageTotal } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import { NO_USAGE, sumOfUsage } from '../core/usage.js';
import type { History, Visit } from './history.js';

export interface RunSide {
  readonly history: History;
  readonly records: readonly Recorded[];
  /** The first of the sessions whose steps make up what the run came to. */
  readonly since: number;
}

/** A pair: of the first run, of the second. */
export type Both<T> = readonly [T, T];

export interface Figures extends UsageTotal {
  /** Input and output. */
  readonly tokens: number;
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

/** What the run itself spent on each model that answered, in the order in which they first did. */
export function usageByModel(side: RunSide): Map<string, UsageTotal> {
  const models = new Map<string, UsageTotal>();
  for (const path of side.history.visits.keys())
    for (const { byModel } of ownVisits(side, path))
      for (const [model, usage] of byModel) models.set(model, sumOfUsage(models.get(model) ?? NO_USAGE, usage));
  return models;
}

function figuresOf({ usage, ending }: Visit): Figures {
  return figures(usage, ending.type === 'done' ? ending.ms : 0);
}

export function sumOf(all: readonly Figures[]): Figures {
  return all.reduce((sum, one) => figures(sumOfUsage(sum, one), sum.ms + one.ms), figures(NO_USAGE, 0));
}

function figures(usage: UsageTotal, ms: number): Figures {
  return { ...usage, tokens: usage.inputTokens + usage.outputTokens, ms };
}
