/** `--record` and `--replay`: the models of a run that writes down what they say, or is told it from a recording. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { readConversation } from './agent/exchanges.js';
import { Fault } from './core/faults.js';
import type { StepPath } from './core/outcome.js';
import { everyStep, type Plan } from './core/plan.js';
import { createBlobs } from './engine/blobs.js';
import { readJournal } from './engine/journal.js';
import { type RunDir, runDirAt } from './engine/run-dir.js';
import { readRunFile, runsOf } from './engine/run-file.js';
import { slugOf } from './engine/slug.js';
import { realFiles } from './files/layer.js';
import { canonicalReply, canonicalRequest, createMasks, type Masks } from './providers/canonical-request.js';
import {
  type Exchange,
  isCassette,
  type RecordedModel,
  readExchanges,
  readModels,
  recordedSteps,
} from './providers/cassette.js';
import type { PickedModels } from './providers/models.js';
import { recordModels } from './providers/record.js';
import { type Recording, replayModels } from './providers/replay.js';

export interface TapeRequest {
  /** Absolute: the folder of a cassette. */
  readonly record?: string | undefined;
  /** Absolute: the folder of a cassette or of a run. */
  readonly replay?: string | undefined;
}

export interface TapedRun {
  readonly plan: Plan;
  readonly projectDir: string;
  readonly query: string;
  readonly runId: string;
  readonly runDir: RunDir;
  readonly slug: string;
  readonly resumed: boolean;
}

export interface Tape {
  readonly models: PickedModels;
  /** Before the first step. */
  begin(run: TapedRun): Promise<void>;
}

/** @param live picks the models of a run that is not replayed */
export function tapeFor({ record, replay }: TapeRequest, live: () => PickedModels): Tape {
  const replayer = replay === undefined ? undefined : replayModels(recordingIn(replay));
  const models = replayer?.models ?? live();
  const recorder = record === undefined ? undefined : recordModels(models, record);
  return {
    models: recorder?.models ?? models,
    async begin(run) {
      if (!replayer && !recorder) return;
      const masks = await masksOf(run);
      replayer?.begin(masks);
      recorder?.begin(masks, run.resumed);
    },
  };
}

async function masksOf({ plan, projectDir, query, runId, runDir, slug }: TapedRun): Promise<Masks> {
  const children = everyStep(plan.steps).flatMap(({ body }) => (body.type === 'child' ? [body.plan] : []));
  const others = [plan, ...children].flatMap((one) => [one.skill.dir, ...Object.values(one.skillDirs)]);
  return createMasks({
    folders: foldersOf(runDir.dir, plan.skill.dir, projectDir, others),
    runId,
    slug,
    base: await slugOf(query),
  });
}

/** Each also by its real path, where a link leads to it. */
function foldersOf(run: string, skill: string, project: string, others: readonly string[]): [string, string][] {
  const named: [string, string][] = [
    ['run.dir', run],
    ['skill.dir', skill],
    ['project.dir', project],
    ...others.map((dir): [string, string] => [`skills.${lookupName(dir)}.dir`, dir]),
  ];
  return [...named, ...named.map(([name, dir]): [string, string] => [name, realPath(dir)])];
}

function lookupName(dir: string): string {
  return (dir.split(/[\\/]/).at(-1) ?? '').toLowerCase().replaceAll('-', '_');
}

function realPath(dir: string): string {
  return fs.existsSync(dir) ? fs.realpathSync(dir) : dir;
}

/** @param dir absolute */
function recordingIn(dir: string): Recording {
  if (isCassette(dir)) return cassetteIn(dir);
  if (readRunFile(dir)) return runAsRecording(dir);
  throw new Fault('input.unknown', `${dir} is neither a cassette nor a run folder`, {
    hint: 'Record a run with --record <dir>, or name a run: pipeline runs lists them.',
  });
}

function cassetteIn(dir: string): Recording {
  const known = new Map<StepPath, readonly Exchange[]>();
  return {
    source: dir,
    models: readModels(dir),
    steps: recordedSteps(dir),
    exchanges(path) {
      const exchanges = known.get(path) ?? readExchanges(dir, path);
      known.set(path, exchanges);
      return exchanges;
    },
  };
}

/** A finished run has kept all that its models were asked and said: in the transcripts of its steps. */
function runAsRecording(dir: string): Recording {
  const models: Record<string, RecordedModel> = {};
  const steps = new Map<StepPath, Exchange[]>();
  const journal = journalOf(dir);
  if (journal.fork !== undefined) {
    const parent = runsOf(dirname(dir)).find(({ run }) => run.run === journal.fork);
    if (parent) takeOver(runAsRecording(parent.dir), models, steps);
  }
  for (const path of journal.steps) {
    const found = transcriptsOf(dir, path).flatMap((file) => exchangesIn(file, dir, models));
    if (found.length > 0) steps.set(path, found);
  }
  for (const [path, from] of journal.reused) {
    const moved = steps.get(from);
    if (moved && !steps.has(path)) steps.set(path, moved);
  }
  const calls = readRunFile(dir)?.usage?.calls ?? 0;
  if (steps.size === 0 && calls > 0) {
    throw new Fault('input.replay', `${dir} cannot be replayed: its transcripts do not say all that was asked`, {
      hint: 'It was made by an earlier version. Run it again, or record a run with --record <dir>.',
    });
  }
  return { source: dir, models, steps: [...steps.keys()], exchanges: (path) => steps.get(path) ?? [] };
}

function takeOver(parent: Recording, models: Record<string, RecordedModel>, steps: Map<StepPath, Exchange[]>): void {
  Object.assign(models, parent.models);
  for (const path of parent.steps) steps.set(path, [...parent.exchanges(path)]);
}

interface Journaled {
  readonly steps: ReadonlySet<StepPath>;
  /** Path → the path whose result stood for it. */
  readonly reused: ReadonlyMap<StepPath, StepPath>;
  /** The run it was forked from. */
  readonly fork: string | undefined;
}

function journalOf(dir: string): Journaled {
  const { journal, blobs } = runDirAt(dir);
  const steps = new Set<StepPath>();
  const reused = new Map<StepPath, StepPath>();
  let fork: string | undefined;
  readJournal(journal, createBlobs(blobs, realFiles), (event) => {
    if (event.type === 'run_started') fork = event.fork?.run;
    if (event.type === 'step_started' && event.key !== '') steps.add(event.path);
    if (event.type === 'step_reused' && event.from !== event.path) reused.set(event.path, event.from);
  });
  return { steps, reused, fork };
}

/** Of earlier attempts first. */
function transcriptsOf(dir: string, path: StepPath): string[] {
  const step = runDirAt(dir).step(path);
  const attempts = fs.existsSync(step.attempts) ? fs.readdirSync(step.attempts) : [];
  const earlier = attempts
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(step.attempts, name, 'transcript.ndjson'));
  return [...earlier, step.transcript];
}

function exchangesIn(file: string, dir: string, models: Record<string, RecordedModel>): Exchange[] {
  const run = readRunFile(dir);
  const conversation = readConversation(file);
  if (!run || !conversation) return [];
  const { label, asks, exchanges } = conversation;
  const skill = dirname(run.file);
  const asItWas = asks.folders.step.replace(/\/\.steps\/.*$/, '');
  const masks = createMasks({
    folders: foldersOf(asItWas, skill, asks.folders.project, [skill, asks.folders.skill]),
    runId: run.run,
    slug: run.slug,
    base: run.slug.replace(/-\d+$/, ''),
  });
  const { model, host, roleParameters: parameters, placeholder } = asks;
  models[asks.role] = { label, model, host, parameters, ...(placeholder ? { placeholder } : {}) };
  return exchanges.map(({ request, reply }) => ({
    request: canonicalRequest(request, masks),
    reply: canonicalReply(reply, masks),
  }));
}
