/** Two runs held against each other, step by step: what they were given, what their steps came to, what it took. */

import { type Difference, differences } from '../core/compare-json.js';
import type { RunStatus, UsageTotal } from '../core/events.js';
import { hashJson, type Json } from '../core/json.js';
import type { RunRecords } from '../core/run-records.js';
import { NO_USAGE } from '../core/usage.js';
import type { StepComparison } from './compare-step.js';
import { type FileChange, fileChanges, hashesOf } from './files.js';
import { historyOf, type Visit } from './history.js';
import { comparedSteps } from './pair-steps.js';
import { type Both, type Figures, lastVisit, pathsOf, type RunSide, sumOf, tookAt, usageByModel } from './run-side.js';

export interface RunComparison {
  readonly isEqual: boolean;
  /** Query, inputs, model, version, replaced values: those that differ. */
  readonly facts: readonly { readonly name: string; readonly before?: Json; readonly now?: Json }[];
  readonly steps: readonly StepComparison[];
  readonly result: readonly Difference[];
  readonly files: readonly FileChange[];
  readonly statuses: Both<RunStatus | 'open'>;
  readonly totals: Both<Figures>;
  /** What the answered calls of each model used. */
  readonly models: readonly { readonly model: string; readonly usage: Both<UsageTotal> }[];
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
    models: modelsOf(...sides),
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

function settledLast(side: RunSide): Visit[] {
  return pathsOf(side)
    .flatMap((path) => lastVisit(side, path) ?? [])
    .sort((x, y) => x.to - y.to);
}

/** What the model calls used; the time of all sessions that ended. */
function totalOf(side: RunSide): Figures {
  const spent = sumOf([...side.history.visits.keys()].map((path) => tookAt(side, path)));
  const ms = side.records.reduce((sum, record) => sum + (record.type === 'run_ended' ? record.ms : 0), 0);
  return { ...spent, ms };
}

function modelsOf(a: RunSide, b: RunSide): RunComparison['models'] {
  const [was, is] = [usageByModel(a), usageByModel(b)];
  return [...new Set([...was.keys(), ...is.keys()])].map((model) => ({
    model,
    usage: [was.get(model) ?? NO_USAGE, is.get(model) ?? NO_USAGE],
  }));
}
