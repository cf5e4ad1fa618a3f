/** What a run has come to so far, in figures: of one that is at work from its journal, of any other from run.json. */
import fs from 'node:fs';
import type { Census, UsageTotal } from '../core/events.js';
import { createCounts } from '../engine/census.js';
import { runDirAt } from '../engine/run-dir.js';
import { sessionStart } from '../engine/run-file.js';
import { readRecords } from '../engine/run-records.js';
import { fileStamp, type KnownRun } from './known-runs.js';
import { LIVE } from './statuses.js';

export interface Figures extends Counted {
  /** Of its last session, once that has ended. */
  readonly ms: number | undefined;
  /** When its last session began. */
  readonly since: string;
}

interface Counted {
  readonly usage: UsageTotal | undefined;
  readonly census: Census | undefined;
}

const UNKNOWN: Counted = { usage: undefined, census: undefined };

/** A journal beyond it is not read anew for a line of a list. */
const MAX_JOURNAL_BYTES = 8 * 1024 * 1024;

/** Keeps what it has read of runs that are at work. */
export function figuresReader(): (known: KnownRun) => Figures {
  const read = new Map<string, { readonly stamp: string; readonly counted: Counted }>();
  const soFar = (dir: string): Counted => {
    const { journal } = runDirAt(dir);
    const stamp = fileStamp(journal);
    const earlier = read.get(dir);
    if (earlier?.stamp === stamp) return earlier.counted;
    const counted = countedIn(dir, journal);
    read.set(dir, { stamp, counted });
    return counted;
  };
  return ({ dir, run, status }) => {
    const since = sessionStart(run);
    if (status === LIVE) return { ...soFar(dir), ms: undefined, since };
    read.delete(dir);
    const ms = run.ended === undefined ? undefined : Date.parse(run.ended) - Date.parse(since);
    return { usage: run.usage, census: run.census, ms, since };
  };
}

function countedIn(dir: string, journal: string): Counted {
  try {
    if (fs.statSync(journal).size > MAX_JOURNAL_BYTES) return UNKNOWN;
    const counts = createCounts();
    for (const record of readRecords(dir).records) counts.add(record);
    return { usage: counts.usage(), census: counts.census() };
  } catch {
    return UNKNOWN;
  }
}
