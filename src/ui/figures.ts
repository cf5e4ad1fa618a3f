/** What a run has come to so far, in figures: of one that is at work from its journal, of any other from run.json. */
import type { Census, UsageTotal } from '../core/events.js';
import { type Counts, createCounts } from '../engine/census.js';
import { type GrowingJournal, growingJournal } from '../engine/growing-journal.js';
import { runDirAt } from '../engine/run-dir.js';
import { sessionStart } from '../engine/run-file.js';
import type { KnownRun } from './known-runs.js';
import { LIVE } from './statuses.js';

export interface Figures {
  readonly usage: UsageTotal | undefined;
  readonly census: Census | undefined;
  /** Of its last session, once that has ended. */
  readonly ms: number | undefined;
  /** When its last session began. */
  readonly since: string;
}

/** Keeps what it has read of runs that are at work. */
export function figuresReader(): (known: KnownRun) => Figures {
  const read = new Map<string, { readonly journal: GrowingJournal; readonly counts: Counts }>();
  return ({ dir, run, status }) => {
    const since = sessionStart(run);
    if (status !== LIVE) {
      read.delete(run.run);
      const ms = run.ended === undefined ? undefined : Date.parse(run.ended) - Date.parse(since);
      return { usage: run.usage, census: run.census, ms, since };
    }
    const known = read.get(run.run) ?? { journal: growingJournal(runDirAt(dir).journal), counts: createCounts() };
    read.set(run.run, known);
    try {
      for (const record of known.journal.read()) known.counts.add(record);
      return { usage: known.counts.usage(), census: known.counts.census(), ms: undefined, since };
    } catch {
      return { usage: undefined, census: undefined, ms: undefined, since };
    }
  };
}
