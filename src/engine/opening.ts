/** A session begins: what is on disk before the first step, and the first fact. */
import { dirname, join } from 'node:path';
import type { AskedWith, RunEvent } from '../core/events.js';
import type { JsonObject } from '../core/json.js';
import { kindOf, type Plan } from '../core/plan.js';
import { ensureDir, writeFileAtomic } from '../files/atomic-write.js';
import { beginRunFile, pointLatest, type RunFile, readRunFile, writeRunFile } from './run-file.js';
import type { Session } from './session.js';

export interface Opening {
  readonly session: Session;
  readonly plan: Plan;
  readonly query: string;
  readonly inputs: JsonObject;
  readonly overrides: Readonly<Record<string, string>>;
  /** Hashes of input files, by path as given. */
  readonly inputFiles: Readonly<Record<string, string>>;
  /** The default model; undefined when no step calls one. */
  readonly model: { readonly label: string; readonly placeholder: boolean } | undefined;
  readonly with: AskedWith;
  /** Of pipeline, and of Node. */
  readonly version: string;
  readonly node: string;
  readonly pid: number;
  /** A person told failed agents to go on. */
  readonly goOn?: { readonly ids: string } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** run.json, the inputs for processes, the link `latest`. */
export function openFiles(opening: Opening): RunFile {
  const { session, plan, query, inputs, inputFiles, model, version, node, now } = opening;
  const { runDir, runId, slug, counts } = session;
  const facts = {
    run: runId,
    skill: plan.name,
    slug,
    query,
    inputs,
    file: plan.file,
    version,
    node,
    models: counts.models(),
    placeholder: model?.placeholder ?? false,
    inputFiles,
    ...replaced(opening),
    ...askedWith(opening),
  };
  const earlier = session.resumed ? readRunFile(runDir.dir) : undefined;
  const file = beginRunFile(earlier, facts, new Date(now).toISOString());
  writeRunFile(runDir.runJson, file);
  pointLatest(dirname(runDir.dir), slug);
  ensureDir(join(runDir.dir, '.steps'));
  const given = JSON.stringify({ query, ...inputs });
  writeFileAtomic(join(runDir.dir, '.steps', '.inputs.json'), given, { durable: false });
  return file;
}

/** The run has started, or goes on. */
export function openingEvent(opening: Opening): RunEvent {
  const { session, plan, query, inputs, model, version, pid, goOn } = opening;
  const named = model === undefined ? {} : { model: model.label };
  if (session.resumed) {
    const from = session.from === undefined ? {} : { from: session.from };
    const step = goOn === undefined ? {} : { step: goOn.ids };
    return { type: 'run_resumed', pid, version, ...named, ...from, ...step, ...askedWith(opening) };
  }
  const steps = plan.steps.map((step) => ({
    id: step.id,
    title: step.title,
    kind: kindOf(step),
  }));
  return {
    type: 'run_started',
    format: 1,
    run: session.runId,
    skill: plan.name,
    slug: session.slug,
    query,
    inputs,
    file: plan.file,
    version,
    steps,
    ...replaced(opening),
    ...askedWith(opening),
    ...named,
  };
}

function askedWith({ with: asked }: Opening): { readonly with?: AskedWith } {
  return Object.keys(asked).length > 0 ? { with: asked } : {};
}

function replaced({ overrides, session: { forkedFrom, from } }: Opening): Pick<RunFile, 'overrides' | 'fork'> {
  const fork = forkedFrom === undefined ? undefined : { run: forkedFrom, ...(from === undefined ? {} : { from }) };
  return { ...(Object.keys(overrides).length > 0 ? { overrides } : {}), ...(fork ? { fork } : {}) };
}
