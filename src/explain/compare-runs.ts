/** Two runs held against each other, step by step: what they were given, what their steps came to, what it took. */

import { type Difference, differences } from '../core/compare-json.js';
import type { Recorded, RunStatus } from '../core/events.js';
import { hashJson, type Json } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { comparedKeys, type PartChange } from './compare-keys.js';
import type { Outcome } from './explain.js';
import { type FileChange, fileChanges, hashesOf } from './files.js';
import { type History, historyOf, holdersOf, type RunRecords, type Visit } from './history.js';
import { summary } from './say.js';
import { pathOf, valueAt } from './used-steps.js';

interface RunSide {
  readonly history: History;
  readonly records: readonly Recorded[];
  /** The first of the sessions whose steps make up what the run came to. */
  readonly since: number;
}

/** A pair: of the first run, of the second. */
type Both<T> = readonly [T, T];

export interface Figures {
  readonly calls: number;
  readonly tokens: number;
  readonly ms: number;
}

export interface StepComparison {
  readonly path: StepPath;
  readonly isEqual: boolean;
  /** `absent`: the run never came to it. */
  readonly outcomes: Both<Outcome | 'absent'>;
  /** What went into it. */
  readonly given: readonly PartChange[];
  /** Steps whose values went into it, and are others: what was given follows from them. */
  readonly follows: readonly StepPath[];
  readonly output: { readonly summary: string; readonly differences: readonly Difference[] } | undefined;
  readonly files: readonly FileChange[];
  /** Faults, or why it was skipped. */
  readonly words: Both<string>;
  /** Of this run alone: what was reused took nothing. */
  readonly figures: Both<Figures>;
  /** Where a whole group or item is in one run only: the steps in it. */
  readonly steps?: number;
}

export interface RunComparison {
  readonly isEqual: boolean;
  /** Query, inputs, model, version, replaced values: those that differ. */
  readonly facts: readonly { readonly name: string; readonly before?: Json; readonly now?: Json }[];
  readonly steps: readonly StepComparison[];
  readonly result: readonly Difference[];
  readonly files: readonly FileChange[];
  readonly statuses: Both<RunStatus | 'open'>;
  readonly totals: Both<Figures>;
}

export function compareRuns(first: RunRecords, second: RunRecords): RunComparison {
  const sides: Both<RunSide> = [sideOf(first), sideOf(second)];
  const facts = factsThatDiffer(...sides);
  const steps = comparedSteps(...sides);
  const [a, b] = [endOf(sides[0]), endOf(sides[1])];
  const files = fileChanges(hashesOf(settledLast(sides[0])), hashesOf(settledLast(sides[1])));
  const result = differences(a?.result ?? null, b?.result ?? null);
  const statuses: Both<RunStatus | 'open'> = [a?.status ?? 'open', b?.status ?? 'open'];
  const same = steps.every(({ isEqual }) => isEqual) && files.length === 0 && result.length === 0;
  return {
    isEqual: same && facts.length === 0 && statuses[0] === statuses[1],
    facts,
    steps,
    result,
    files,
    statuses,
    totals: [totalOf(sides[0]), totalOf(sides[1])],
  };
}

/** A session that reached an end walked the whole plan; one that was cut off stands beside those before it. */
function sideOf({ origin, records, sideFile }: RunRecords): RunSide {
  const history = historyOf({ origin, records, sideFile });
  const own = history.sessions.filter(({ isOrigin }) => !isOrigin).map(({ number }) => number);
  const status = endOf({ records })?.status;
  const isWhole = status !== undefined && !['limit', 'waiting', 'cancelled'].includes(status);
  return { history, records, since: (isWhole ? own.at(-1) : own[0]) ?? 1 };
}

function endOf({ records }: Pick<RunSide, 'records'>) {
  const last = records.findLast(({ type }) => type === 'run_ended' || type === 'run_resumed' || type === 'run_started');
  return last?.type === 'run_ended' ? last : undefined;
}

function factsThatDiffer(a: RunSide, b: RunSide): RunComparison['facts'] {
  const [was, is] = [factsOf(a), factsOf(b)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => {
    const [before, now] = [was.get(name), is.get(name)];
    if (hashJson(before ?? null) === hashJson(now ?? null)) return [];
    return [{ name, ...(before === undefined ? {} : { before }), ...(now === undefined ? {} : { now }) }];
  });
}

function factsOf({ history, records }: RunSide): Map<string, Json> {
  const facts = new Map<string, Json>();
  const { opening } = history;
  if (!opening) return facts;
  facts.set('skill', opening.skill);
  facts.set('query', opening.query);
  for (const [name, value] of Object.entries(opening.inputs)) facts.set(`input ${name}`, value);
  const model = history.sessions.at(-1)?.model;
  if (model !== undefined) facts.set('model', model);
  for (const [path, value] of Object.entries(opening.overrides ?? {})) facts.set(`set ${path}`, value);
  const begun = records.findLast(({ type }) => type === 'run_started' || type === 'run_resumed');
  if (begun && 'version' in begun) facts.set('version', begun.version);
  return facts;
}

function comparedSteps(a: RunSide, b: RunSide): StepComparison[] {
  const paths: Both<StepPath[]> = [pathsOf(a), pathsOf(b)];
  const all = [...new Set([...paths[1], ...paths[0]])];
  const holders: Both<Set<StepPath>> = [holdersOf(paths[0]), holdersOf(paths[1])];
  const present: Both<Set<StepPath>> = [new Set([...paths[0], ...holders[0]]), new Set([...paths[1], ...holders[1]])];
  const isHolder = (path: StepPath) => holders[0].has(path) || holders[1].has(path);
  /** The outermost place with steps below it in one run only. */
  const foldOf = (path: StepPath) =>
    beginnings(path).find((one) => isHolder(one) && !(holders[0].has(one) && holders[1].has(one)));
  const leaves = all.filter((path) => !isHolder(path));
  const steps = new Map<StepPath, StepComparison>();
  for (const path of leaves) {
    const one = comparedStep(path, a, b);
    const top = foldOf(path);
    const folded = top === undefined ? undefined : steps.get(top);
    if (top === undefined) steps.set(path, one);
    else if (folded) steps.set(top, { ...folded, steps: (folded.steps ?? 0) + 1 });
    else
      steps.set(top, {
        ...comparedStep(top, a, b),
        isEqual: false,
        steps: 1,
        outcomes: outcomesAt(top, present, a, b),
      });
  }
  const uneven = holdersOf([...steps.values()].filter(({ isEqual }) => !isEqual).map(({ path }) => path));
  for (const path of all) {
    if (!isHolder(path) || steps.has(path) || uneven.has(path) || foldOf(path) !== undefined) continue;
    const one = comparedStep(path, a, b);
    if (!one.isEqual) steps.set(path, one);
  }
  const order = new Map(all.map((path, at) => [path, at]));
  return [...steps.values()].sort((x, y) => (order.get(x.path) ?? 0) - (order.get(y.path) ?? 0));
}

/** An item or round of steps has no record of its own: it is there if something below it is. */
function outcomesAt(path: StepPath, present: Both<Set<StepPath>>, a: RunSide, b: RunSide): StepComparison['outcomes'] {
  const outcome = (side: 0 | 1): Outcome | 'absent' =>
    lastVisit(side === 0 ? a : b, path)?.ending.type ?? (present[side].has(path) ? 'open' : 'absent');
  return [outcome(0), outcome(1)];
}

/** `a`, `a/b`, `a/b/c`. */
function beginnings(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

function pathsOf({ history, since }: RunSide): StepPath[] {
  return [...history.visits]
    .filter(([, visits]) => visits.some(({ session }) => session >= since))
    .map(([path]) => path);
}

function lastVisit({ history, since }: RunSide, path: StepPath): Visit | undefined {
  return history.visits.get(path)?.findLast(({ session }) => session >= since);
}

/** Over all sessions, but for those of the run that it was forked from. */
function ownVisits({ history }: RunSide, path: StepPath): Visit[] {
  const { sessions } = history;
  return (history.visits.get(path) ?? []).filter(({ session }) => sessions[session - 1]?.isOrigin === false);
}

function comparedStep(path: StepPath, a: RunSide, b: RunSide): StepComparison {
  const [was, is] = [lastVisit(a, path), lastVisit(b, path)];
  const outcomes = [was?.ending.type ?? 'absent', is?.ending.type ?? 'absent'] as const;
  const found = was && is ? differences(was.output, is.output) : [];
  const files = was && is ? fileChanges(hashesOf([was]), hashesOf([is])) : [];
  const given = was && is ? givenOtherwise(was, is) : [];
  const follows = was && is && given.length > 0 ? otherUsed(a.history, was, b.history, is) : [];
  const words = [wordsOf(was), wordsOf(is)] as const;
  const sameWords = words[0] === words[1];
  return {
    path,
    isEqual:
      settledAs(outcomes[0]) === settledAs(outcomes[1]) &&
      found.length === 0 &&
      given.length === 0 &&
      files.length === 0 &&
      sameWords,
    outcomes,
    given,
    follows,
    output: was && is && found.length > 0 ? { summary: summary(was.output, is.output), differences: found } : undefined,
    files,
    words,
    figures: [added(ownVisits(a, path).map(figuresOf)), added(ownVisits(b, path).map(figuresOf))],
  };
}

function otherUsed(before: History, was: Visit, now: History, is: Visit): StepPath[] {
  return is.uses.flatMap((id) => {
    const [from, to] = [pathOf(before, was.path, id), pathOf(now, is.path, id)];
    if (from === undefined || to === undefined) return to ?? [];
    const same = hashJson(valueAt(before, from, was.from)) === hashJson(valueAt(now, to, is.from));
    return same ? [] : [to];
  });
}

/** Query and inputs are facts of the run, and said as such. */
function givenOtherwise(was: Visit, is: Visit): PartChange[] {
  if (was.key === '' || is.key === '' || was.key === is.key) return [];
  return comparedKeys(was, is).filter(({ part }) => part !== 'query' && part !== 'inputs');
}

/** Reused or made anew: the same result. */
export function settledAs(outcome: Outcome | 'absent'): Outcome | 'absent' {
  return outcome === 'reused' ? 'done' : outcome;
}

function wordsOf(visit: Visit | undefined): string {
  if (!visit) return '';
  const { ending } = visit;
  switch (ending.type) {
    case 'failed':
      return `${ending.fault.code}: ${ending.fault.message}`;
    case 'skipped':
    case 'stopped':
      return ending.reason;
    case 'ended':
      return `${ending.outcome}: ${ending.message}`;
    default:
      return '';
  }
}

function figuresOf({ calls, tokens, ending }: Visit): Figures {
  return { calls, tokens, ms: ending.type === 'done' ? ending.ms : 0 };
}

function added(all: readonly Figures[]): Figures {
  return all.reduce(
    (sum, one) => ({ calls: sum.calls + one.calls, tokens: sum.tokens + one.tokens, ms: sum.ms + one.ms }),
    {
      calls: 0,
      tokens: 0,
      ms: 0,
    },
  );
}

function settledLast(side: RunSide): Visit[] {
  return pathsOf(side)
    .flatMap((path) => lastVisit(side, path) ?? [])
    .sort((x, y) => x.to - y.to);
}

/** Calls and tokens of the model calls; the time of all sessions that ended. */
function totalOf(side: RunSide): Figures {
  const visits = [...side.history.visits.keys()].flatMap((path) => ownVisits(side, path));
  const { calls, tokens } = added(visits.map(figuresOf));
  const ms = side.records.reduce((sum, record) => sum + (record.type === 'run_ended' ? record.ms : 0), 0);
  return { calls, tokens, ms };
}
