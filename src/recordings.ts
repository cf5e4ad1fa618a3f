/** `--record` and `--replay`: the models of a run that writes down what they say, or is told it from a recording. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type Conversation, readConversation } from './agent/exchanges.js';
import { Fault } from './core/faults.js';
import type { StepPath } from './core/outcome.js';
import { everyPlan, type Plan } from './core/plan.js';
import type { Redactor } from './core/secrets.js';
import { createBlobs } from './engine/blobs.js';
import { firstRecord, readJournal } from './engine/journal.js';
import { originsOf } from './engine/origin.js';
import { type RunDir, runDirAt } from './engine/run-dir.js';
import { readRunFile } from './engine/run-file.js';
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

/**
 * @param live picks the models of a run that is not replayed
 * @param redactor undefined where the environment holds no secret
 */
export async function tapeFor(
  { record, replay }: TapeRequest,
  live: () => PickedModels,
  redactor: Redactor | undefined,
): Promise<Tape> {
  const replayer = replay === undefined ? undefined : replayModels(await recordingIn(replay));
  const models = replayer?.models ?? live();
  const recorder = record === undefined ? undefined : recordModels(models, record, redactor?.text ?? ((text) => text));
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
  const others = everyPlan(plan).flatMap((one) => [one.skill.dir, ...Object.values(one.skillDirs)]);
  return createMasks({
    folders: foldersOf([runDir.dir], [plan.skill.dir], [projectDir], others),
    runIds: [runId],
    slugs: [{ slug, base: await slugOf(query) }],
  });
}

/** Each also by its real path, where a link leads to it. */
function foldersOf(
  runs: readonly string[],
  skills: readonly string[],
  projects: readonly string[],
  others: readonly string[],
): [string, string][] {
  const named: [string, string][] = [
    ...runs.map((dir): [string, string] => ['run.dir', dir]),
    ...skills.map((dir): [string, string] => ['skill.dir', dir]),
    ...projects.map((dir): [string, string] => ['project.dir', dir]),
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
async function recordingIn(dir: string): Promise<Recording> {
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
async function runAsRecording(dir: string): Promise<Recording> {
  const runDir = runDirAt(dir);
  const { steps: paths, reused } = journalOf(runDir);
  const conversations = new Map<StepPath, Conversation[]>();
  for (const path of paths) {
    const found = conversationsOf(runDir, path);
    if (found.length > 0) conversations.set(path, found);
  }
  for (const [path, from] of reused) {
    const moved = conversations.get(from);
    if (moved && !conversations.has(path)) conversations.set(path, moved);
  }
  const all = [...conversations.values()].flat();
  if (all.length === 0 && (readRunFile(dir)?.usage?.calls ?? 0) > 0) {
    throw new Fault('input.replay', `${dir} cannot be replayed: its transcripts do not say all that was asked`, {
      hint: 'It was made by an earlier version. Run it again, or record a run with --record <dir>.',
    });
  }
  const masks = await masksOfKept(runDir, all);
  const models = Object.fromEntries(all.map((one) => [one.asks.role, modelOf(one)]));
  return {
    source: dir,
    models,
    steps: [...conversations.keys()],
    exchanges: (path) => ownFirst(conversations.get(path) ?? []).flatMap((one) => exchangesOf(one, masks)),
  };
}

interface Journaled {
  /** Those that were begun in this run, or whose results and transcripts came from the run that it was forked from. */
  readonly steps: ReadonlySet<StepPath>;
  /** Path → the path whose result stood for it. */
  readonly reused: ReadonlyMap<StepPath, StepPath>;
}

function journalOf({ journal, blobs }: RunDir): Journaled {
  const steps = new Set<StepPath>();
  const reused = new Map<StepPath, StepPath>();
  readJournal(journal, createBlobs(blobs, realFiles), (event) => {
    if (event.type === 'step_started' && event.key !== '') steps.add(event.path);
    if (event.type !== 'step_reused') return;
    steps.add(event.from);
    if (event.from !== event.path) reused.set(event.path, event.from);
  });
  return { steps, reused };
}

/** Of earlier attempts first. */
function conversationsOf(runDir: RunDir, path: StepPath): Conversation[] {
  const step = runDir.step(path);
  const attempts = fs.existsSync(step.attempts) ? fs.readdirSync(step.attempts) : [];
  const earlier = attempts
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(step.attempts, name, 'transcript.ndjson'));
  return [...earlier, step.transcript].flatMap((file) => readConversation(file) ?? []);
}

/** What a fork took over and then did again itself is asked for only where the fork has asked nothing. */
function ownFirst(conversations: readonly Conversation[]): Conversation[] {
  const own = runFolderOf(conversations.at(-1));
  return [
    ...conversations.filter((one) => runFolderOf(one) === own),
    ...conversations.filter((one) => runFolderOf(one) !== own),
  ];
}

/** As it was when the conversation was held. */
function runFolderOf(conversation: Conversation | undefined): string {
  return conversation?.asks.folders.step.replace(/\/\.steps\/.*$/, '') ?? '';
}

/** The names of the run, and of those that it was forked from: their words are in what it took over. */
async function masksOfKept(runDir: RunDir, conversations: readonly Conversation[]): Promise<Masks> {
  const origins = originsOf(runDir).flatMap((journal) => firstRecord(journal) ?? []);
  const runs = [readRunFile(runDir.dir), ...origins.filter((record) => record.type === 'run_started')].flatMap(
    (run) => run ?? [],
  );
  const folders = conversations.map(({ asks }) => asks.folders);
  const skills = runs.map(({ file }) => dirname(file));
  return createMasks({
    folders: foldersOf(
      [...new Set(conversations.map(runFolderOf))],
      [...new Set(skills)],
      [...new Set(folders.map(({ project }) => project))],
      [...new Set([...skills, ...folders.map(({ skill }) => skill)])],
    ),
    runIds: runs.map(({ run }) => run),
    slugs: await Promise.all(runs.map(async ({ slug, query }) => ({ slug, base: await slugOf(query) }))),
  });
}

function modelOf({ label, asks, contextTokens }: Conversation): RecordedModel {
  const { model, host, roleParameters: parameters, placeholder } = asks;
  const context = contextTokens === undefined ? {} : { contextTokens };
  return { label, model, host, parameters, ...(placeholder ? { placeholder } : {}), ...context };
}

function exchangesOf({ exchanges }: Conversation, masks: Masks): Exchange[] {
  return exchanges.map(({ request, reply }) => ({
    request: canonicalRequest(request, masks),
    reply: canonicalReply(reply, masks),
  }));
}
