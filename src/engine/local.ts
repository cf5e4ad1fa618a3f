/** Durable steps over the journal of one run folder. */
import { join } from 'node:path';
import type { Recorded, RunEvent } from '../core/events.js';
import { Fault } from '../core/faults.js';
import { type Json, never } from '../core/json.js';
import type { Artifact, Clock, Durable, FileRead, Folders, Key, Step, StepOutcome, StepPath } from '../core/types.js';
import type { Blobs } from './blobs.js';
import { hashPath } from './key.js';
import type { Publisher } from './publish.js';
import { itemFamily } from './step-path.js';

/** What earlier sessions of the run left in its journal. */
export interface Past {
  /** Finished leaves by item family, in the order of the journal. */
  readonly finished: Map<string, Finished[]>;
  readonly decided: Map<string, Json>;
  /** Attempts that were begun and never settled: path → key. */
  readonly interrupted: Map<StepPath, string>;
  /** Paths in the run folder that earlier sessions published. */
  readonly published: Set<string>;
  /** Of the whole run, and of each step by its id: over attempts, items and rounds. */
  tokens: number;
  readonly tokensOf: Map<string, number>;
}

interface Finished {
  readonly path: StepPath;
  readonly key: string;
  readonly output: Json;
  readonly outputBlob?: string;
  readonly artifacts: readonly Artifact[];
  readonly reads: readonly FileRead[];
  taken: boolean;
}

export function emptyPast(): Past {
  return {
    finished: new Map(),
    decided: new Map(),
    interrupted: new Map(),
    published: new Set(),
    tokens: 0,
    tokensOf: new Map(),
  };
}

/** Folds one record of an earlier session into what is known. */
export function remember(past: Past, record: Recorded, steps: readonly Step[]): void {
  switch (record.type) {
    case 'step_started':
      if (record.key !== '') past.interrupted.set(record.path, record.key);
      return;
    case 'step_done':
    case 'step_reused': {
      past.interrupted.delete(record.path);
      for (const artifact of record.artifacts) past.published.add(artifact.path);
      if (record.key === '') return;
      const family = itemFamily(steps, record.path);
      const list = past.finished.get(family) ?? [];
      past.finished.set(family, list);
      const { path, key, output, outputBlob, artifacts, reads = [] } = record;
      const known = list.findIndex((one) => one.path === path && one.key === key);
      const entry: Finished = {
        path,
        key,
        output,
        artifacts,
        reads,
        taken: false,
        ...(outputBlob ? { outputBlob } : {}),
      };
      if (known >= 0) list[known] = entry;
      else list.push(entry);
      return;
    }
    case 'step_failed':
    case 'step_ended':
      past.interrupted.delete(record.path);
      return;
    case 'decided':
      past.decided.set(record.name, record.value);
      return;
    case 'round': {
      const used = (record.usage?.inputTokens ?? 0) + (record.usage?.outputTokens ?? 0);
      past.tokens += used;
      for (const id of record.path.split('/')) past.tokensOf.set(id, (past.tokensOf.get(id) ?? 0) + used);
      return;
    }
    default:
      return;
  }
}

export function createLocal(parts: {
  readonly past: Past;
  readonly steps: readonly Step[];
  readonly blobs: Blobs;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly folders: Omit<Folders, 'work' | 'step'>;
  record(event: RunEvent): Promise<void>;
}): Durable {
  const { past, blobs, publisher, record, clock } = parts;
  const settleDone = (path: StepPath, artifacts: readonly Artifact[]) => publisher.publish(path, artifacts);

  return {
    async lookup(path, key) {
      const found = take(past.finished.get(itemFamily(parts.steps, path)) ?? [], key, parts);
      if (!found) return undefined;
      const output = found.outputBlob ? (JSON.parse(blobs.read(found.outputBlob).toString()) as Json) : found.output;
      const artifacts = moved(found.artifacts, found.path, path);
      publisher.claim(path, artifacts);
      await record({
        type: 'step_reused',
        path,
        from: found.path,
        key: key.hash,
        output,
        artifacts,
        reads: found.reads,
      });
      settleDone(path, artifacts);
      return { status: 'done', output, artifacts, reads: found.reads };
    },
    async run(path, key, attempt) {
      const begun = clock.now();
      const outcome = await attempt();
      await record(eventOf(path, key, outcome, clock.now() - begun));
      if (outcome.status === 'done') settleDone(path, outcome.artifacts);
      return outcome;
    },
    async decide(name, value) {
      const known = past.decided.get(name);
      if (known !== undefined) return known as ReturnType<typeof value>;
      const chosen = value();
      past.decided.set(name, chosen);
      await record({ type: 'decided', name, value: chosen });
      return chosen;
    },
  };
}

/** The first finished step of the family with this key whose files are all as they were. */
function take(
  list: readonly Finished[],
  key: Key,
  parts: { readonly blobs: Blobs; readonly folders: Omit<Folders, 'work' | 'step'> },
): Finished | undefined {
  for (const one of list) {
    if (one.taken || one.key !== key.hash) continue;
    const stored = one.artifacts.every((artifact) => parts.blobs.has(artifact.sha256));
    const outputStored = !one.outputBlob || parts.blobs.has(one.outputBlob);
    if (!stored || !outputStored || !one.reads.every((read) => unchanged(read, parts.folders))) continue;
    one.taken = true;
    return one;
  }
  return undefined;
}

function unchanged(read: FileRead, folders: Omit<Folders, 'work' | 'step'>): boolean {
  const file = read.from === 'elsewhere' ? read.path : join(folders[read.from], read.path);
  return hashPath(file) === read.sha256;
}

/** An item that moved publishes below its new index. */
function moved(artifacts: readonly Artifact[], from: StepPath, to: StepPath): readonly Artifact[] {
  if (from === to) return artifacts;
  const fromParts = from.split('/');
  const toParts = to.split('/');
  return artifacts.map((artifact) => {
    const parts = artifact.path.split('/');
    for (let at = 0, scan = 0; at < fromParts.length; at++) {
      const number = fromParts[at] as string;
      if (!/^\d+$/.test(number) || number === toParts[at]) continue;
      const found = parts.findIndex(
        (part, place) => place >= scan && part === number && parts[place - 1] === fromParts[at - 1],
      );
      if (found < 0) continue;
      parts[found] = toParts[at] as string;
      scan = found + 1;
    }
    return { ...artifact, path: parts.join('/') };
  });
}

function eventOf(path: StepPath, key: Key, outcome: StepOutcome, ms: number): RunEvent {
  switch (outcome.status) {
    case 'done': {
      const { output, artifacts, reads } = outcome;
      return { type: 'step_done', path, key: key.hash, output, artifacts, ms, ...(reads ? { reads } : {}) };
    }
    case 'failed':
      return { type: 'step_failed', path, fault: outcome.fault, ms };
    case 'stopped':
      return { type: 'step_stopped', path, fault: outcome.fault };
    case 'waiting':
      return { type: 'step_waiting', path, ask: outcome.ask };
    case 'ended':
      return { type: 'step_ended', path, outcome: outcome.outcome, as: outcome.as, message: outcome.message };
    case 'skipped':
      throw new Fault('internal.bug', `an attempt of ${path} cannot be skipped`);
    default:
      return never(outcome);
  }
}
