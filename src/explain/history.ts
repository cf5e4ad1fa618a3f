/** What happened to each step of a run, session by session, folded from the journal's records. */
import type { Recorded, UsageTotal } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { FileRead } from '../core/kind.js';
import type { Artifact, StepPath } from '../core/outcome.js';
import { goesOn } from '../core/reasons.js';
import type { RunRecords } from '../core/run-records.js';
import { NO_USAGE, withEvent } from '../core/usage.js';

export interface SessionStart {
  /** From 1; those of the run it was forked from come first. */
  readonly number: number;
  /** ISO 8601, like all times here. */
  readonly at: string;
  /** Another run's, whose results this one began with. */
  readonly isOrigin: boolean;
  readonly model?: string;
}

export type Ending =
  | { readonly type: 'open' }
  | {
      readonly type: 'done';
      readonly artifacts: readonly Artifact[];
      readonly reads: readonly FileRead[];
      readonly ms: number;
    }
  | {
      readonly type: 'reused';
      readonly from: StepPath;
      readonly artifacts: readonly Artifact[];
      readonly reads: readonly FileRead[];
    }
  | { readonly type: 'skipped'; readonly reason: string }
  | { readonly type: 'failed'; readonly fault: FaultData }
  | { readonly type: 'ended'; readonly outcome: string; readonly message: string }
  | { readonly type: 'waiting'; readonly ask: Json }
  | { readonly type: 'stopped'; readonly reason: string };

export type Outcome = Ending['type'];

/** A model whose service failed, and the one that took its place. */
export interface Fallback {
  readonly from: string;
  readonly to: string;
  readonly fault: FaultData;
}

/** One time that the run came to a step. */
export interface Visit {
  readonly path: StepPath;
  readonly family: string;
  readonly session: number;
  readonly at: string;
  /** Place among all records, of its beginning. */
  readonly from: number;
  /** The same of its end; Infinity while it is open. */
  to: number;
  /** '' for what holds steps, and where no attempt was begun. */
  key: string;
  parts: Readonly<Record<string, string>>;
  values: JsonObject;
  uses: readonly string[];
  /** A group or a loop. */
  holds: boolean;
  readonly because: string;
  /** 0 if it came to its end without one. */
  attempts: number;
  lastRound: number;
  usage: UsageTotal;
  /** Of the answered calls, by the label of the model. */
  readonly byModel: Map<string, UsageTotal>;
  readonly fallbacks: Fallback[];
  readonly retries: FaultData[];
  readonly notices: string[];
  ending: Ending;
  output: Json;
}

export interface History {
  readonly sessions: readonly SessionStart[];
  /** In the order in which the run first came to them. */
  readonly visits: ReadonlyMap<StepPath, readonly Visit[]>;
  /** Paths that have others below them: groups, loops, their items and rounds. */
  readonly holders: ReadonlySet<StepPath>;
  /** What was asked: of this run itself, not of one that it was forked from. */
  readonly opening: Extract<Recorded, { type: 'run_started' }> | undefined;
}

export function historyOf({ origin, records, sideFile }: RunRecords): History {
  const sessions: SessionStart[] = [];
  const visits = new Map<StepPath, Visit[]>();
  let open = new Map<StepPath, Visit>();
  let opening: History['opening'];
  /** Parts of a key are written down once, when an attempt begins. */
  const known = new Map<string, Pick<Visit, 'parts' | 'values' | 'uses'>>();
  const all = [...origin, ...records];

  const begin = (event: Recorded & { readonly path: StepPath }, order: number, more: Partial<Visit> = {}): Visit => {
    const visit: Visit = {
      path: event.path,
      family: ('family' in event ? event.family : undefined) ?? event.path,
      session: sessions.length,
      at: event.at,
      from: order,
      to: Number.POSITIVE_INFINITY,
      key: '',
      parts: {},
      values: {},
      uses: [],
      holds: false,
      because: '',
      attempts: 0,
      lastRound: 0,
      usage: NO_USAGE,
      byModel: new Map(),
      fallbacks: [],
      retries: [],
      notices: [],
      ending: { type: 'open' },
      output: null,
      ...more,
    };
    const list = visits.get(visit.path) ?? [];
    visits.set(visit.path, list);
    list.push(visit);
    open.set(visit.path, visit);
    return visit;
  };
  const at = (event: Recorded & { readonly path: StepPath }, order: number) =>
    open.get(event.path) ?? begin(event, order);
  const end = (visit: Visit, order: number, ending: Ending, output: Json = null) => {
    visit.to = order;
    visit.ending = ending;
    visit.output = output;
    open.delete(visit.path);
  };
  const lastRoundAt = (path: StepPath) => visits.get(path)?.findLast((one) => one.key !== '')?.lastRound;
  const keyed = (key: string): Partial<Visit> => {
    const one = known.get(key);
    return one ? { key, ...one } : {};
  };
  const outputOf = (event: { readonly output: Json; readonly outputBlob?: string }): Json =>
    event.outputBlob === undefined ? event.output : (sideFile(event.outputBlob) ?? null);

  for (const [order, event] of all.entries()) {
    switch (event.type) {
      case 'run_started':
      case 'run_resumed':
        if (event.type === 'run_started') opening = event;
        open = new Map();
        sessions.push({
          number: sessions.length + 1,
          at: event.at,
          isOrigin: order < origin.length,
          ...(event.model === undefined ? {} : { model: event.model }),
        });
        break;
      case 'step_started': {
        const again = event.attempt > 1 ? open.get(event.path) : undefined;
        if (again) {
          again.attempts = event.attempt;
          break;
        }
        const { key, parts, uses = [], because } = event;
        const facts = { parts, values: valuesOf(event, sideFile), uses };
        if (key !== '') known.set(key, facts);
        const lastRound = goesOn(because) ? (lastRoundAt(event.path) ?? 0) : 0;
        begin(event, order, { key, because, attempts: event.attempt, holds: key === '', lastRound, ...facts });
        break;
      }
      case 'loop':
        at(event, order).holds = true;
        break;
      case 'round': {
        const visit = at(event, order);
        visit.lastRound = event.round;
        visit.usage = withEvent(visit.usage, event);
        visit.byModel.set(event.model, withEvent(visit.byModel.get(event.model) ?? NO_USAGE, event));
        break;
      }
      case 'call_retry':
      case 'call_lost': {
        const visit = at(event, order);
        visit.usage = withEvent(visit.usage, event);
        break;
      }
      case 'fallback':
        at(event, order).fallbacks.push({ from: event.from, to: event.to, fault: event.fault });
        break;
      case 'step_retry':
        at(event, order).retries.push(event.fault);
        break;
      case 'step_notice': {
        // That a person's word was taken is said when the step has ended already.
        const last = visits.get(event.path)?.at(-1);
        const visit = last?.session === sessions.length ? last : at(event, order);
        visit.notices.push(event.text);
        break;
      }
      case 'step_reused': {
        const { key, from, artifacts, reads = [] } = event;
        const visit = begin(event, order, { key, ...known.get(key) });
        end(visit, order, { type: 'reused', from, artifacts, reads }, outputOf(event));
        break;
      }
      case 'step_done': {
        const { artifacts, reads = [], ms } = event;
        const visit = at(event, order);
        // On the word of a person, with no attempt of its own: what is known of its key is of the one that was interrupted.
        if (visit.key === '') Object.assign(visit, keyed(event.key));
        end(visit, order, { type: 'done', artifacts, reads, ms }, outputOf(event));
        break;
      }
      case 'step_skipped': {
        const type = open.has(event.path) ? 'stopped' : 'skipped';
        end(at(event, order), order, { type, reason: event.reason });
        break;
      }
      case 'step_failed':
        end(at(event, order), order, { type: 'failed', fault: event.fault });
        break;
      case 'step_ended':
        end(at(event, order), order, { type: 'ended', outcome: event.outcome, message: event.message });
        break;
      case 'step_waiting':
        end(at(event, order), order, { type: 'waiting', ask: event.ask });
        break;
      case 'step_stopped':
        end(at(event, order), order, { type: 'stopped', reason: event.fault.message });
        break;
      default:
        break;
    }
  }
  return { sessions, visits, holders: holdersOf(visits.keys()), opening };
}

/** What has other paths below it. */
export function holdersOf(paths: Iterable<StepPath>): Set<StepPath> {
  const holders = new Set<StepPath>();
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      holders.add(path.slice(0, end));
  return holders;
}

function valuesOf(event: Extract<Recorded, { type: 'step_started' }>, sideFile: RunRecords['sideFile']): JsonObject {
  const values: Record<string, Json> = { ...event.values };
  for (const [name, hash] of Object.entries(event.valueBlobs ?? {})) {
    const value = sideFile(hash);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** The last time that the run came to it before this record. */
export function lastBefore(history: History, path: StepPath, order: number): Visit | undefined {
  return history.visits.get(path)?.findLast(({ from }) => from < order);
}

export type Succeeded = Extract<Ending, { type: 'done' | 'reused' }>;

export function hasSucceeded(ending: Ending): ending is Succeeded {
  return ending.type === 'done' || ending.type === 'reused';
}
