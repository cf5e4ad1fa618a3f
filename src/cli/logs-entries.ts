/** The entries of a run's log: its records, and of one step also what it was told and said, each at its place. */
import type { Recorded } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import { folderOfAttempt } from '../engine/left-behind.js';
import { type AttemptRecord, foldAttempt } from '../engine/read-attempts.js';
import { runDirAt } from '../engine/run-dir.js';
import { type AttemptContent, attemptContent, type Content } from './logs-content.js';
import { isOfStep } from './logs-lines.js';

export type Entry =
  | { readonly type: 'record'; readonly record: Recorded }
  | { readonly type: 'content'; readonly step: StepPath; readonly attempt: number; readonly content: Content };

export interface Entries {
  /** Of records that have come; all of them are told at once the first time. */
  of(records: readonly Recorded[]): Entry[];
  /** What attempts that are going on have said meanwhile. */
  meanwhile(): Entry[];
  /** Ids of the steps there are. */
  readonly steps: ReadonlySet<StepPath>;
  /** Whether a record of the step that was named has come. */
  isFound(): boolean;
}

interface Attempts {
  readonly records: AttemptRecord[];
  /** Index of the one that is being told. */
  at: number;
  content: AttemptContent | undefined;
  isOver: boolean;
}

/**
 * @param dir the absolute run folder
 * @param name of a step, by its path or ids; undefined for the records of all
 */
export function logEntries(dir: string, name: string | undefined): Entries {
  const runDir = runDirAt(dir);
  const known = new Map<StepPath, Attempts>();
  const steps = new Set<StepPath>();
  let isFound = false;

  function attemptsAt(path: StepPath): Attempts {
    const attempts = known.get(path) ?? { records: [], at: -1, content: undefined, isOver: true };
    known.set(path, attempts);
    return attempts;
  }

  function told(path: StepPath, contents: readonly Content[]): Entry[] {
    const attempt = attemptsAt(path).at + 1;
    return contents.map((content) => ({ type: 'content', step: path, attempt, content }));
  }

  /** What an attempt left moves when the next one begins. */
  function folderOf(path: StepPath, at: number): string | undefined {
    const { records } = attemptsAt(path);
    const step = runDir.step(path);
    return at >= records.length - 1 ? step.dir : folderOfAttempt(step, records, at);
  }

  /** @returns what the attempt before it, which was cut off, had said */
  function begin(path: StepPath, isNew: boolean): Entry[] {
    const attempts = attemptsAt(path);
    const left = isNew && attempts.content && !attempts.isOver ? told(path, attempts.content.last()) : [];
    attempts.isOver = false;
    if (!isNew) return left;
    attempts.at++;
    const { at, records } = attempts;
    const before = records[at]?.goesOn ? (records[at - 1]?.rounds ?? 0) : 0;
    attempts.content = attemptContent(() => folderOf(path, at), before);
    return left;
  }

  function entriesOf(record: Recorded, isNewAttempt: boolean): Entry[] {
    if (!('path' in record) || name === undefined) {
      return name === undefined || record.type === 'run_resumed' ? [{ type: 'record', record }] : [];
    }
    const { path } = record;
    if (!isOfStep(path, name)) return [];
    isFound = true;
    const left = record.type === 'step_started' && record.key !== '' ? begin(path, isNewAttempt) : [];
    return [...left, ...told(path, contentBefore(record, attemptsAt(path))), { type: 'record', record }];
  }

  return {
    steps,
    isFound: () => isFound,
    of(records) {
      const begun = new Set<Recorded>();
      for (const record of records) {
        if (!('path' in record)) continue;
        steps.add(record.path);
        const { records: attempts } = attemptsAt(record.path);
        const before = attempts.length;
        foldAttempt(attempts, record);
        if (attempts.length > before) begun.add(record);
      }
      return records.flatMap((record) => entriesOf(record, begun.has(record)));
    },
    meanwhile() {
      return [...known].flatMap(([path, { content, isOver }]) =>
        content && !isOver ? told(path, content.soFar()) : [],
      );
    },
  };
}

/** What led to the record; the end of an attempt is the end of what it said. */
function contentBefore(record: Recorded, attempts: Attempts): Content[] {
  const { content } = attempts;
  if (!content || attempts.isOver) return [];
  switch (record.type) {
    case 'round':
      return content.upTo(record.round);
    case 'step_retry':
    case 'step_done':
    case 'step_failed':
    case 'step_ended':
    case 'step_waiting':
    case 'step_stopped':
      attempts.isOver = true;
      return content.last();
    default:
      return [];
  }
}
