/** How much is told of each step: what a person looks for is whole while there is room, of many that are alike the first few. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from '../core/events.js';
import type { RunRecords } from '../core/run-records.js';
import { idsOf } from '../core/step-path.js';
import type { StepRecord } from '../engine/read-steps.js';
import type { RunDir } from '../engine/run-dir.js';
import { historyOf, holdersOf } from '../explain/history.js';
import { briefDetail, type DetailParts, outerDetail, wholeDetail } from './step-detail.js';
import type { StepDetail } from './view.js';

/** Items or rounds of one step of the plan; of those that went well, and of the others. */
const MOST_QUIET = 12;
const MOST_LOUD = 50;
/** Larger side files are not looked into: that such a value changed is said by its hash. */
const MOST_SIDE_BYTES = 1_000_000;

export interface RunParts extends Omit<DetailParts, 'history' | 'roundTimes'> {
  readonly told: RunRecords;
}

/** By path. */
export function detailsOf(steps: readonly StepRecord[], { told, ...parts }: RunParts): Map<string, StepDetail> {
  const history = historyOf(withoutUnread(told, parts.runDir));
  const all = { ...parts, history, roundTimes: roundTimes(told.records) };
  const holders = holdersOf(steps.map(({ path }) => path));
  const [isQuietRoom, isLoudRoom] = [roomFor(MOST_QUIET), roomFor(MOST_LOUD)];
  const detailOf = (step: StepRecord) => {
    if (holders.has(step.path) || step.status === 'skipped') return outerDetail(step, all);
    const isRoom = isQuiet(step) ? isQuietRoom(step) : isLoudRoom(step);
    return isRoom ? wholeDetail(step, all) : briefDetail(step, all);
  };
  const loudFirst = [...steps.filter((step) => !isQuiet(step)), ...steps.filter(isQuiet)];
  return new Map(loudFirst.map((step) => [step.path, detailOf(step)]));
}

function isQuiet({ status }: StepRecord): boolean {
  return status === 'done' || status === 'reused' || status === 'skipped';
}

/** Whether a step is among the first so many of its step of the plan. */
function roomFor(most: number): (step: StepRecord) => boolean {
  const seen = new Map<string, number>();
  return ({ path }) => {
    const ids = idsOf(path);
    const count = (seen.get(ids) ?? 0) + 1;
    seen.set(ids, count);
    return count <= most;
  };
}

/** Keys are compared from the second visit on: of a run with one session nobody looks at what they were made of. */
function withoutUnread({ origin, records, ...told }: RunRecords, { blobs }: RunDir): RunRecords {
  const sideFile = (hash: string) => (bytesOf(join(blobs, hash)) > MOST_SIDE_BYTES ? undefined : told.sideFile(hash));
  const isCompared = origin.length > 0 || records.some(({ type }) => type === 'run_resumed' || type === 'step_retry');
  if (isCompared) return { origin, records, sideFile };
  const seen = records.map((event) =>
    event.type === 'step_started' && event.valueBlobs ? { ...event, valueBlobs: {} } : event,
  );
  return { origin, records: seen, sideFile };
}

function bytesOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function roundTimes(records: readonly Recorded[]): DetailParts['roundTimes'] {
  const times = new Map<string, { readonly model: string; readonly ms: number }>();
  for (const event of records)
    if (event.type === 'round') times.set(`${event.path} ${event.round}`, { model: event.model, ms: event.ms });
  return times;
}
