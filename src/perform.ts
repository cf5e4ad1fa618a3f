/** Performs a run that was checked: the engine with its files, processes and sinks, from the first fact to the report. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { version as nodeVersion, pid } from 'node:process';
import { systemClock } from './core/clock.js';
import type { Clock, Processes, Sandbox } from './core/context.js';
import type { AskedWith, Sink } from './core/events.js';
import type { Models } from './core/model.js';
import type { Plan } from './core/plan.js';
import { isProviderKey } from './core/provider-keys.js';
import type { Redactor } from './core/secrets.js';
import type { Tool } from './core/tool.js';
import { createEngine, type Ended, type Engine } from './engine/engine.js';
import { heldFor } from './engine/grants.js';
import type { GoOn } from './engine/leaf-tools.js';
import { openFiles, openingEvent } from './engine/opening.js';
import { type RunFile, writeRunFile } from './engine/run-file.js';
import type { Session } from './engine/session.js';
import { realFiles } from './files/layer.js';
import { providerNames } from './load/config.js';
import type { Inputs } from './load/given-inputs.js';
import type { Project } from './load/open-project.js';
import { findSkill } from './load/skills.js';
import { createProcesses } from './process/run.js';
import type { ModelChoice } from './providers/models.js';
import { keepGraph } from './report/keep-graph.js';
import type { RunReport, RunRequest } from './request.js';
import { logSink } from './sinks/log.js';
import { version } from './version.js';

/** What a run needs, all of it checked. */
export interface Prepared {
  readonly project: Project;
  readonly plan: Plan;
  readonly inputs: Inputs;
  readonly overrides: Readonly<Record<string, string>>;
  readonly models: Models;
  readonly model: ModelChoice | undefined;
  readonly sandbox: Sandbox;
  readonly session: Session;
  readonly notices: readonly string[];
  readonly goOn: GoOn | undefined;
  readonly redactor: Redactor | undefined;
  readonly tools: readonly Tool[];
}

export async function perform(request: RunRequest, prepared: Prepared): Promise<RunReport> {
  const { project, plan, inputs, models, model, session, redactor } = prepared;
  const { query } = request;
  const clock = request.clock ?? systemClock;
  const begun = clock.now();
  const troubles: string[] = [];
  const engine = createEngine({
    plan,
    session,
    query,
    inputs: inputs.values,
    namedInputs: inputs.named,
    readable: inputs.files,
    held: heldFor(plan, [session.runDir.dir, project.dir, ...inputs.files]),
    projectDir: project.dir,
    environment: withoutProviderKeys(request, project),
    models,
    tools: prepared.tools,
    placeholder: model?.placeholder ?? false,
    processes: processesOf(request, session.runId, redactor),
    sandbox: prepared.sandbox,
    clock,
    random: request.random ?? Math.random,
    newId: request.newId ?? randomUUID,
    retryUnknown: request.retryUnknown ?? false,
    assumeDone: request.assumeDone,
    goOn: prepared.goOn,
    ask: request.ask,
    findSkill: (name) => findSkill(name, project.places).skill,
    sinks: [...(request.viewless ? [] : [logOf(plan, session, troubles)]), ...(request.sinks ?? [])],
    files: request.files ?? realFiles,
    onSinkError: (error) =>
      troubles.push(`a sink failed and is told no more: ${error instanceof Error ? error.message : error}`),
    redactor,
    onDelta: request.onDelta ?? (() => undefined),
    signal: request.signal ?? new AbortController().signal,
  });
  const opening = {
    session,
    plan,
    query,
    inputs: inputs.values,
    inputFiles: inputs.hashes,
    overrides: prepared.overrides,
    model,
    version,
    node: nodeVersion,
    pid: request.pid ?? pid,
    now: begun,
    with: askedWith(request),
    goOn: prepared.goOn,
  };
  try {
    const file = openFiles(opening);
    await engine.record(openingEvent(opening));
    const say = async (texts: readonly string[]) => {
      for (const text of texts) await engine.record({ type: 'notice', text });
    };
    await say([...prepared.notices, ...troubles.splice(0)]);
    const kept = request.viewless ? () => undefined : keepGraphSoon(session.runDir.dir, plan, troubles);
    const ended = await engine.walk().finally(kept);
    await say(troubles);
    const report = await conclude(redactor?.value(ended) ?? ended, begun, clock, file, engine, session);
    if (!request.viewless) await writeReport(request, prepared, engine);
    return report;
  } finally {
    await engine.close();
  }
}

function logOf({ logFile = 'pipeline.log' }: Plan, { runDir, slug }: Session, troubles: string[]): Sink {
  return logSink(join(runDir.dir, '..', logFile), slug, (reason) =>
    troubles.push(`pipeline.log cannot be written: ${reason}`),
  );
}

function askedWith({ model, record, replay, detect, sandbox, skillsDirs = [] }: RunRequest): AskedWith {
  return {
    ...(model === undefined ? {} : { model }),
    ...(record === undefined ? {} : { record }),
    ...(replay === undefined ? {} : { replay }),
    ...(detect === false ? { detect } : {}),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(skillsDirs.length > 0 ? { skillsDirs } : {}),
  };
}

async function conclude(
  ended: Ended,
  begun: number,
  clock: Clock,
  file: RunFile,
  engine: Engine,
  { counts, runDir }: Session,
): Promise<RunReport> {
  const facts = { ...ended, census: counts.census(), usage: counts.usage() };
  const now = clock.now();
  await engine.record({ type: 'run_ended', ...facts, ms: now - begun });
  writeRunFile(runDir.runJson, { ...file, ...facts, models: counts.models(), ended: new Date(now).toISOString() });
  return { ...facts, dir: runDir.dir };
}

/** Beside the first request: a page of the run draws it, and nothing else waits for it. @returns what sees that it is kept now */
function keepGraphSoon(dir: string, plan: Plan, troubles: string[]): () => void {
  const keep = () => {
    try {
      keepGraph(dir, plan);
    } catch (error) {
      troubles.push(`the graph of its steps cannot be kept: ${error instanceof Error ? error.message : error}`);
    }
  };
  let isKept = false;
  const once = () => {
    if (!isKept) keep();
    isKept = true;
  };
  const timer = setTimeout(once, GRAPH_WITHIN_MS);
  return () => {
    clearTimeout(timer);
    once();
  };
}

const GRAPH_WITHIN_MS = 50;

/** What was done is done: that its report cannot be written is said, and no more. */
async function writeReport(request: RunRequest, { session, redactor }: Prepared, engine: Engine): Promise<void> {
  const { files = realFiles } = request;
  try {
    const { writeReport: write } = await import('./report/write.js');
    await write(session.runDir.dir, { redactor, files, isEnding: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await engine.record({ type: 'notice', text: `report.html cannot be written: ${reason}` }).catch(() => undefined);
  }
}

/** @param marker names the run in the environment of its processes */
function processesOf(
  { processes: given, kill }: RunRequest,
  marker: string,
  redactor: Redactor | undefined,
): Processes {
  if (typeof given === 'object') return given;
  const own = createProcesses({ marker, ...(redactor ? { newFilter: () => redactor.bytes() } : {}) });
  kill?.addEventListener('abort', () => void own.endAll(true), { once: true });
  return given ? given(own) : own;
}

/** Steps never see them, so no child can. */
function withoutProviderKeys({ env, providers }: RunRequest, { config }: Project): RunRequest['env'] {
  const names = [...providerNames(config), ...Object.keys(providers ?? {})];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isProviderKey(name, names)));
}
