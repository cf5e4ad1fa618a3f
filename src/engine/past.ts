/** What earlier sessions of a run left in its journal, folded into what a resume asks for. */
import type { Recorded } from '../core/events.js';
import type { Json } from '../core/json.js';
import type { FileRead } from '../core/kind.js';
import type { Artifact, StepPath } from '../core/outcome.js';
import { idsOf, ownerOf } from './step-path.js';

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
  readonly outcome: 'begun' | 'done' | 'ended' | 'waited';
}

export interface Interrupted {
  /** At this place; with this key, if one is given. */
  at(path: StepPath, key?: string): boolean;
  /** Anywhere in the family, with this key: an item may have moved. */
  inFamily(family: string, key: string): boolean;
  /** Without a key: whatever was begun there last. */
  settle(path: StepPath, key?: string): void;
}

export interface Past {
  readonly decided: Map<string, Json>;
  /** Attempts that were begun and never settled. */
  readonly interrupted: Interrupted;
  /** What was published last, by owner. */
  readonly published: Map<string, readonly Artifact[]>;
  /** Tokens of the whole run, and of each step by its ids: over attempts, items and rounds. */
  tokens: number;
  readonly tokensOf: Map<string, number>;
  /** The key of the last attempt or reuse at a place, to say what has changed since. */
  readonly lastKeys: Map<StepPath, LastKey>;
  /** Folds one record. */
  remember(record: Recorded): void;
  add(finished: Finished, family: string): Finished;
  /** Of the finished steps of a family with this key: the one at this path first, then the lowest index. */
  choose(family: string, key: string, path: StepPath, fits: (one: Finished) => boolean): Finished | undefined;
}

export function createPast(): Past {
  /** Family and key → by path. */
  const finished = new Map<string, Map<StepPath, Finished>>();
  const { interrupted, begin } = trackInterrupted();
  const placeOf = (family: string, key: string) => `${family} ${key}`;
  const past: Past = {
    decided: new Map(),
    interrupted,
    published: new Map(),
    tokens: 0,
    tokensOf: new Map(),
    lastKeys: new Map(),
    add(one, family) {
      const place = placeOf(family, one.key);
      const list = finished.get(place) ?? new Map<StepPath, Finished>();
      finished.set(place, list);
      list.set(one.path, one);
      return one;
    },
    choose(family, key, path, fits) {
      const list = finished.get(placeOf(family, key));
      if (!list) return undefined;
      const own = list.get(path);
      if (own && fits(own)) return own;
      return [...list.values()].sort((a, b) => byIndex(a.path, b.path)).find(fits);
    },
    remember(record) {
      switch (record.type) {
        case 'step_started': {
          const { path, key, parts, family = path } = record;
          if (key === '') return;
          if (record.anew) finished.get(placeOf(family, key))?.delete(path);
          begin(path, key, family);
          past.lastKeys.set(path, { parts, outcome: 'begun' });
          return;
        }
        case 'step_done':
        case 'step_reused': {
          const { path, family = path, reads = [] } = record;
          interrupted.settle(path, record.key);
          endLast(past.lastKeys, path, 'done');
          const owner = record.key === '' ? saverOf(ownerOf({ path, family })) : ownerOf({ path, family });
          past.published.set(owner, record.artifacts);
          if (record.key !== '') past.add({ ...record, reads }, family);
          return;
        }
        case 'step_failed':
        case 'step_ended':
          interrupted.settle(record.path);
          endLast(past.lastKeys, record.path, 'ended');
          return;
        case 'step_waiting':
          endLast(past.lastKeys, record.path, 'waited');
          return;
        case 'decided':
          past.decided.set(record.name, record.value);
          return;
        case 'round': {
          const { usage, estimatedTokens = 0 } = record;
          const used = usage ? usage.inputTokens + usage.outputTokens : estimatedTokens;
          past.tokens += used;
          for (const ids of beginnings(idsOf(record.path)))
            past.tokensOf.set(ids, (past.tokensOf.get(ids) ?? 0) + used);
          return;
        }
        default:
          return;
      }
    },
  };
  return past;
}

function endLast(keys: Map<StepPath, LastKey>, path: StepPath, outcome: LastKey['outcome']): void {
  const last = keys.get(path);
  if (last) keys.set(path, { ...last, outcome });
}

function trackInterrupted() {
  /** Place and key → family. */
  const open = new Map<StepPath, Map<string, string>>();
  const last = new Map<StepPath, string>();
  const interrupted: Interrupted = {
    at(path, key) {
      const keys = open.get(path);
      return keys !== undefined && (key === undefined ? keys.size > 0 : keys.has(key));
    },
    inFamily(family, key) {
      return [...open.values()].some((keys) => keys.get(key) === family);
    },
    settle(path, key) {
      const known = key ?? last.get(path);
      if (known !== undefined) open.get(path)?.delete(known);
    },
  };
  const begin = (path: StepPath, key: string, family: string) => {
    const keys = open.get(path) ?? new Map<string, string>();
    open.set(path, keys.set(key, family));
    last.set(path, key);
  };
  return { interrupted, begin };
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
