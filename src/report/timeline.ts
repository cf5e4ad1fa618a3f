/** When the steps of a run were at work, over all its sessions, folded from the journal. */
import type { Recorded } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';

export interface Timeline {
  /** One after the other; the time between them is not drawn. */
  readonly sessions: readonly TimeRange[];
  /** By path, in the order in which steps first began. */
  readonly spans: Readonly<Record<StepPath, readonly Span[]>>;
}

/** Milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface Span extends TimeRange {
  readonly type: SpanType;
}

/** `backoff`: between two attempts. `asked`: a person was asked. `held`: of a group or a loop. */
export type SpanType =
  | 'done'
  | 'failed'
  | 'running'
  | 'interrupted'
  | 'stopped'
  | 'backoff'
  | 'asked'
  | 'reused'
  | 'held';

interface Begun {
  readonly from: number;
  /** What it is if nothing else becomes of it. */
  readonly type: 'running' | 'backoff' | 'held';
}

/**
 * @param isGate whether a step asks a person: then its time is theirs
 * @param now where a process is at work on the run: what is open goes on until then
 */
export function timelineOf(
  records: readonly Recorded[],
  isGate: (path: StepPath) => boolean,
  now: number | undefined,
): Timeline {
  const spans = new Map<StepPath, Span[]>();
  const open = new Map<StepPath, Begun>();
  const sessions: { from: number; to: number }[] = [];
  const put = (path: StepPath, span: Span) => {
    const list = spans.get(path);
    if (list) list.push(span);
    else spans.set(path, [span]);
  };
  const end = (path: StepPath, to: number, type: SpanType) => {
    const begun = open.get(path);
    open.delete(path);
    if (!begun) return;
    const own = begun.type === 'running' ? type : begun.type;
    put(path, { from: begun.from, to, type: own === 'done' && isGate(path) ? 'asked' : own });
  };
  const cutAll = (to: number, type: 'interrupted' | 'running') => {
    for (const path of [...open.keys()]) end(path, to, type);
  };
  let last = 0;
  for (const event of records) {
    const at = Date.parse(event.at);
    switch (event.type) {
      case 'run_started':
      case 'run_resumed':
        cutAll(last, 'interrupted');
        sessions.push({ from: at, to: at });
        break;
      case 'step_started':
        if (open.get(event.path)?.type === 'backoff') end(event.path, at, 'backoff');
        if (!spans.has(event.path)) spans.set(event.path, []);
        open.set(event.path, { from: at, type: event.key === '' ? 'held' : 'running' });
        break;
      case 'loop':
        if (!spans.has(event.path)) spans.set(event.path, []);
        if (!open.has(event.path)) open.set(event.path, { from: at, type: 'held' });
        break;
      case 'step_retry':
        end(event.path, at, 'failed');
        open.set(event.path, { from: at, type: 'backoff' });
        break;
      case 'step_reused':
        put(event.path, { from: at, to: at, type: 'reused' });
        break;
      case 'step_done':
      case 'step_ended':
        end(event.path, at, 'done');
        break;
      case 'step_failed':
        end(event.path, at, 'failed');
        break;
      case 'step_waiting':
        end(event.path, at, 'asked');
        break;
      case 'step_stopped':
      case 'step_skipped':
        end(event.path, at, 'stopped');
        break;
      case 'run_ended':
        cutAll(at, 'interrupted');
        break;
      default:
        break;
    }
    last = at;
    const session = sessions.at(-1);
    if (session) session.to = at;
  }
  const session = sessions.at(-1);
  if (session && now !== undefined) session.to = Math.max(session.to, now);
  cutAll(session?.to ?? last, now === undefined ? 'interrupted' : 'running');
  return { sessions, spans: Object.fromEntries(spans) };
}
