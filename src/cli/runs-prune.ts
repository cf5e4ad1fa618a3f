/** pipeline runs prune: removes the runs that are old, or ended in some way, or are more than so many. */
import { dirname } from 'node:path';
import type { RunStatus } from '../core/events.js';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { nearest } from '../core/problems.js';
import { activityOf, newestFirst } from '../engine/run-file.js';
import { nameOfRun } from '../engine/ways-on.js';
import { parseAge } from '../load/duration.js';
import { say } from './output.js';
import { type ListedRun, runsBelow, runsFolder } from './runs.js';
import { type RemovalOptions, removeOnceAgreed } from './runs-removal.js';

export interface PruneOptions extends RemovalOptions {
  readonly olderThan?: string;
  readonly status?: string;
  readonly keep?: number;
}

/** Of a run that no process works on. */
const STATUSES = {
  done: true,
  failed: true,
  partial: true,
  refused: true,
  limit: true,
  waiting: true,
  cancelled: true,
  interrupted: true,
} as const satisfies Record<RunStatus | 'interrupted', true>;

/** A run goes if it fits all that is given. */
export interface Criteria {
  readonly olderThanMs?: number;
  readonly statuses?: readonly string[];
  /** Of the newest of each skill. */
  readonly keep?: number;
}

export async function runsPruneCommand(options: PruneOptions): Promise<void> {
  const criteria = criteriaOf(options);
  const root = runsFolder();
  const all = runsBelow(root);
  const fitting = fittingRuns(all, criteria, Date.now());
  const inUse = fitting.filter(({ status }) => status === 'running').map(({ dir }) => plainText(nameOfRun(dir)));
  if (inUse.length > 0) say(`! In use, so it stays: ${inUse.join(', ')}.`);
  const going = fitting.filter(({ status }) => status !== 'running');
  await removeOnceAgreed(going, all, root, options);
}

export function criteriaOf({ olderThan, status, keep }: Omit<PruneOptions, keyof RemovalOptions>): Criteria {
  if (olderThan === undefined && status === undefined && keep === undefined) {
    throw new Fault('input.invalid', 'Nothing says which runs go.', {
      hint: 'Give one or more: --older-than 30d, --status failed,cancelled, --keep 5. With --dry-run nothing is removed.',
    });
  }
  return {
    ...(olderThan === undefined ? {} : { olderThanMs: ageMs(olderThan) }),
    ...(status === undefined ? {} : { statuses: statusesIn(status) }),
    ...(keep === undefined ? {} : { keep }),
  };
}

/** Those with the newest activity first. A time that cannot be read is no old one. */
export function fittingRuns(all: readonly ListedRun[], criteria: Criteria, nowMs: number): ListedRun[] {
  const { olderThanMs, statuses, keep = 0 } = criteria;
  const seen = new Map<string, number>();
  return [...all].sort(newestFirst).filter(({ dir, run, status }) => {
    const skill = dirname(dir);
    const newer = seen.get(skill) ?? 0;
    seen.set(skill, newer + 1);
    if (newer < keep) return false;
    if (statuses && !statuses.includes(status)) return false;
    return olderThanMs === undefined || nowMs - Date.parse(activityOf(run)) > olderThanMs;
  });
}

function ageMs(text: string): number {
  const ms = parseAge(text);
  if (ms !== undefined) return ms;
  throw new Fault('input.invalid', `--older-than "${text}" is no age.`, { hint: 'Write it as 30d, 12h or 1d12h.' });
}

function statusesIn(text: string): string[] {
  const known = Object.keys(STATUSES);
  const given = text.split(',').map((word) => word.trim());
  const wrong = given.filter((word) => !known.includes(word));
  if (wrong.length === 0) return given;
  const [first = ''] = wrong;
  const near = nearest(first, known);
  const names = wrong.map((word) => `"${word}"`).join(', ');
  throw new Fault('input.invalid', `--status ${names}: no run that can be removed has it.`, {
    hint: `${near ? `Did you mean ${near}? ` : ''}Statuses: ${known.join(', ')}.`,
  });
}
