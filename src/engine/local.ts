/** Durable steps over the journal of one run folder. */
import { join } from 'node:path';
import type { Clock } from '../core/context.js';
import type { RunEvent } from '../core/events.js';
import { Fault } from '../core/faults.js';
import { type Json, never } from '../core/json.js';
import type { FileRead } from '../core/kind.js';
import type { Artifact, Durable, Key, ReadFolders, StepOutcome, StepPath, Where } from '../core/outcome.js';
import type { Blobs } from './blobs.js';
import { hashPath } from './key.js';
import type { Finished, Past } from './past.js';
import { familyOf } from './step-path.js';

export function createLocal(parts: {
  readonly past: Past;
  readonly blobs: Blobs;
  readonly clock: Clock;
  record(event: RunEvent): Promise<void>;
}): Durable {
  const { past, blobs, record, clock } = parts;
  /** Family and key → the path that took the result. A path may take its own again, when a group is retried. */
  const taken = new Map<Finished, StepPath>();

  const usable = (one: Finished, folders: ReadFolders) =>
    one.artifacts.every((artifact) => artifact.saved || blobs.has(artifact.sha256)) &&
    (one.outputBlob === undefined || blobs.has(one.outputBlob)) &&
    one.reads.every((read) => unchanged(read, folders));

  return {
    async lookup({ path, family }, key, folders) {
      const found = past.choose(family, key.hash, path, (one) => {
        const holder = taken.get(one);
        return (holder === undefined || holder === path) && usable(one, folders);
      });
      if (!found) return undefined;
      taken.set(found, path);
      const { artifacts, reads, outputBlob } = found;
      const output = outputBlob ? (JSON.parse(blobs.read(outputBlob).toString()) as Json) : found.output;
      const own = artifacts.filter((artifact) => !artifact.saved);
      return { from: found.path, outcome: { status: 'done', output, artifacts: moved(own, found.path, path), reads } };
    },
    async reuse(where, key, { from, outcome }) {
      const { path } = where;
      const { output, artifacts, reads = [] } = outcome;
      await record({
        type: 'step_reused',
        path,
        ...familyOf(where),
        from,
        key: key.hash,
        output,
        artifacts,
        reads,
      });
      past.interrupted.settleReused(where, key.hash);
    },
    async run(where, key, attempt) {
      const begun = clock.now();
      const outcome = await attempt();
      const event = eventOf(where, key, outcome, clock.now() - begun);
      await record(event);
      if (outcome.status !== 'stopped' && outcome.status !== 'waiting') past.settle(where, key.hash);
      if (event.type === 'step_done')
        taken.set(past.add({ ...event, reads: event.reads ?? [] }, where.family), where.path);
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

function unchanged(read: FileRead, folders: ReadFolders): boolean {
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
    let scan = 0;
    for (const [at, number] of fromParts.entries()) {
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

function eventOf(where: Where, key: Key, outcome: StepOutcome, ms: number): RunEvent {
  const { path } = where;
  switch (outcome.status) {
    case 'done': {
      const { output, artifacts, reads } = outcome;
      const more = { ...familyOf(where), ...(reads ? { reads } : {}) };
      return { type: 'step_done', path, key: key.hash, output, artifacts, ms, ...more };
    }
    case 'failed':
      return { type: 'step_failed', path, ...familyOf(where), key: key.hash, fault: outcome.fault, ms };
    case 'stopped':
      return { type: 'step_stopped', path, fault: outcome.fault };
    case 'waiting':
      return { type: 'step_waiting', path, ask: outcome.ask };
    case 'ended':
      return {
        type: 'step_ended',
        path,
        ...familyOf(where),
        key: key.hash,
        outcome: outcome.outcome,
        as: outcome.as,
        message: outcome.message,
      };
    case 'skipped':
      throw new Fault('internal.bug', `an attempt of ${path} cannot be skipped`);
    default:
      return never(outcome);
  }
}
