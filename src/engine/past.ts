/** What earlier sessions of a run left in its journal, folded into what a resume asks for. */
import { type Amount, NO_AMOUNT, plus } from '../core/context.js';
import type { Recorded } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { FileRead } from '../core/kind.js';
import type { Artifact, StepPath, Where } from '../core/outcome.js';
import { goesOn } from '../core/reasons.js';
import { idsOf } from '../core/step-path.js';
import { createInterrupted, type Interrupted } from './interrupted.js';
import { createPublications } from './publications.js';
import { ownerOf } from './step-path.js';

export interface Finished {
  readonly path: StepPath;
  readonly key: string;
  readonly output: Json;
  readonly outputBlob?: string;
  readonly artifacts: readonly Artifact[];
  readonly reads: readonly FileRead[];
}

export interface LastKey {
  readonly parts: Readonly<Record<string, string>>;
  readonly outcome: 'begun' | 'done' | 'failed' | 'ended' | 'waited';
}

export interface Rerun {
  /** Of the step, with those of the groups around it: `rounds/audit`. */
  readonly ids: string;
  /** The places where it was begun again. */
  readonly done: Set<StepPath>;
}

export interface Past {
  readonly decided: Map<string, Json>;
  /** Attempts that were begun and never settled. */
  readonly interrupted: Interrupted;
  /** Those of the runs that this one was forked from. */
  readonly inherited: Interrupted;
  /** By owner: what was published last, then what may still lie there because a session died before it was taken away. */
  readonly published: ReadonlyMap<string, readonly Artifact[]>;
  /** By the whole run, and by each step by its ids: over attempts, items and rounds. */
  used: Amount;
  readonly usedBy: Map<string, Amount>;
  /** What the last attempt at a place failed with, and under which key, until the step begins again. */
  readonly failedWith: Map<StepPath, { readonly key: string; readonly fault: FaultData }>;
  /** Calls of agents that were begun, may have had an effect, and of which nobody knows how they ended. */
  readonly openCalls: Map<StepPath, { readonly name: string; readonly round: number; readonly call: number }>;
  /** The last round of an agent's conversation that the journal tells of. */
  readonly toldRounds: Map<StepPath, number>;
  /** The key of the last attempt or reuse at a place, to say what has changed since. */
  readonly lastKeys: Map<StepPath, LastKey>;
  /** What a person asked to be done again, until the run has come to its end. */
  rerun: Rerun | undefined;
  /** It has run: see `Interrupted`. */
  settle(where: Where, key: string): void;
  /** Folds one record. */
  remember(record: Recorded): void;
  add(finished: Finished, family: string): Finished;
  /** A person asked for it: what was known of this step is not taken any more. */
  forget(where: Where, key: string): void;
  /** Of the finished steps of a family with this key: the one at this path first, then the lowest index. */
  choose(family: string, key: string, path: StepPath, fits: (one: Finished) => boolean): Finished | undefined;
}

export function createPast(): Past {
  /** Family and key → by path. */
  const finished = new Map<string, Map<StepPath, Finished>>();
  const interrupted = createInterrupted();
  /** Begun in the session that is read, to know what a failure without a key speaks of. */
  const begunKeys = new Map<StepPath, string>();
  const publications = createPublications();
  const placeOf = (family: string, key: string) => `${family} ${key}`;
  const past: Past = {
    decided: new Map(),
    interrupted,
    inherited: createInterrupted(),
    get published() {
      return publications.all();
    },
    rerun: undefined,
    used: NO_AMOUNT,
    usedBy: new Map(),
    failedWith: new Map(),
    openCalls: new Map(),
    toldRounds: new Map(),
    lastKeys: new Map(),
    settle(where, key) {
      interrupted.settle(where, key);
      past.inherited.settle(where, key);
    },
    add(one, family) {
      const place = placeOf(family, one.key);
      const list = finished.get(place) ?? new Map<StepPath, Finished>();
      finished.set(place, list);
      list.set(one.path, one);
      return one;
    },
    forget({ path, family }, key) {
      finished.get(placeOf(family, key))?.delete(path);
      past.rerun?.done.add(path);
    },
    choose(family, key, path, fits) {
      const list = finished.get(placeOf(family, key));
      if (!list) return undefined;
      const own = list.get(path);
      if (own && fits(own)) return own;
      // It was begun here as what it is: it has not moved, and the results of its equals are theirs.
      if (interrupted.at(path, key) || past.failedWith.get(path)?.key === key) return undefined;
      return [...list.values()].sort((a, b) => byIndex(a.path, b.path)).find(fits);
    },
    remember(record) {
      switch (record.type) {
        case 'step_started': {
          const { path, key, parts, family = path } = record;
          if (key === '') return;
          if (record.anew) past.forget({ path, family }, key);
          past.failedWith.delete(path);
          if (!goesOn(record.because)) {
            past.openCalls.delete(path);
            past.toldRounds.delete(path);
          }
          interrupted.begin({ path, family }, key);
          begunKeys.set(path, key);
          past.lastKeys.set(path, { parts, outcome: 'begun' });
          return;
        }
        case 'step_done':
        case 'step_reused': {
          const { path, family = path, reads = [] } = record;
          if (record.key !== '') {
            if (record.type === 'step_done') past.settle({ path, family }, record.key);
            else interrupted.settleReused({ path, family }, record.key);
          }
          endLast(past.lastKeys, path, 'done');
          const owner = record.key === '' ? saverOf(ownerOf({ path, family })) : ownerOf({ path, family });
          publications.put(owner, record.artifacts);
          if (record.key !== '') past.add({ ...record, reads }, family);
          return;
        }
        case 'step_failed':
        case 'step_ended': {
          const { path, family = path, key = begunKeys.get(path) } = record;
          if (key !== undefined) past.settle({ path, family }, key);
          if (key !== undefined && record.type === 'step_failed')
            past.failedWith.set(path, { key, fault: record.fault });
          endLast(past.lastKeys, path, record.type === 'step_failed' ? 'failed' : 'ended');
          return;
        }
        case 'step_retry': {
          const { path, fault } = record;
          const key = begunKeys.get(path);
          if (key !== undefined) past.failedWith.set(path, { key, fault });
          return;
        }
        case 'tool_started':
          past.openCalls.set(record.path, record);
          return;
        case 'tool':
          if (isOf(past.openCalls.get(record.path), record)) past.openCalls.delete(record.path);
          return;
        case 'run_started':
          if (record.fork?.from !== undefined) past.rerun = { ids: record.fork.from, done: new Set() };
          return;
        case 'run_resumed':
          begunKeys.clear();
          if (record.from !== undefined) past.rerun = { ids: record.from, done: new Set() };
          return;
        case 'run_ended':
          if (record.status !== 'done' && record.status !== 'partial') return;
          past.rerun = undefined;
          publications.settle();
          return;
        case 'step_waiting':
          endLast(past.lastKeys, record.path, 'waited');
          return;
        case 'decided':
          past.decided.set(record.name, record.value);
          return;
        case 'round':
        case 'call_retry':
        case 'call_lost': {
          const { estimatedTokens = 0, usd = 0 } = record;
          // The round's model knows it now.
          if (record.type === 'round') {
            past.openCalls.delete(record.path);
            past.toldRounds.set(record.path, record.round);
          }
          const usage = record.type === 'call_retry' ? undefined : record.usage;
          const used = { tokens: usage ? usage.inputTokens + usage.outputTokens : estimatedTokens, usd };
          past.used = plus(past.used, used);
          for (const ids of beginnings(idsOf(record.path)))
            past.usedBy.set(ids, plus(past.usedBy.get(ids) ?? NO_AMOUNT, used));
          return;
        }
        default:
          return;
      }
    },
  };
  return past;
}

function isOf(
  open: { readonly call: number; readonly round: number } | undefined,
  record: { readonly call?: number; readonly round: number },
): boolean {
  return open !== undefined && open.call === record.call && open.round === record.round;
}

function endLast(keys: Map<StepPath, LastKey>, path: StepPath, outcome: LastKey['outcome']): void {
  const last = keys.get(path);
  if (last) keys.set(path, { ...last, outcome });
}

/** `a`, `a/b`, `a/b/c`. */
function beginnings(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Who owns the files that a group or loop saves itself; no path of a step. */
export function saverOf(owner: string): string {
  return `${owner}#save`;
}

function byIndex(a: StepPath, b: StepPath): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
