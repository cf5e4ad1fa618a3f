/** runPipeline(): load, check, wire, run. The only file that knows every part. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { version as nodeVersion, pid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { systemClock } from './core/clock.js';
import type { Clock, Processes, Sandbox } from './core/context.js';
import type { StepKind } from './core/kind.js';
import type { Models } from './core/model.js';
import type { Plan } from './core/plan.js';
import { hasErrors, type Problem } from './core/problems.js';
import { isProviderKey } from './core/provider-keys.js';
import { createRedactor, type Redactor } from './core/secrets.js';
import type { Tool } from './core/tool.js';
import { createEngine, type Ended, type Engine } from './engine/engine.js';
import { openFiles, openingEvent } from './engine/opening.js';
import { type RunFile, readRunFile, writeRunFile } from './engine/run-file.js';
import { openSession, type Session } from './engine/session.js';
import { realFiles } from './files/layer.js';
import { goOnMeant } from './going-on/go-on-meant.js';
import { refuseDowngrade, upgradeNotice } from './going-on/model-change.js';
import { overridesOf } from './going-on/overrides.js';
import { refuseContradictions, refuseSecrets } from './going-on/refuse-request.js';
import { stepMeant } from './going-on/step-meant.js';
import { providerNames } from './load/config.js';
import { checkInputs, type InputProblem, type Inputs } from './load/given-inputs.js';
import { type LoadOptions, loadPlan } from './load/load.js';
import { openProject as openProjectAt, type Project } from './load/open-project.js';
import { findSkill } from './load/skills.js';
import { SANDBOX_OFF, sandboxFor } from './machine.js';
import { endLeftovers } from './process/group.js';
import { createProcesses } from './process/run.js';
import { createModels, type ModelChoice, type PickedModels } from './providers/models.js';
import { pickForPlan } from './providers/plan-models.js';
import { sketchProblems } from './providers/sketch-problems.js';
import type { Tape } from './recordings.js';
import type { Checked, RunReport, RunRequest, Surroundings } from './request.js';
import { logSink } from './sinks/log.js';
import { refuseDrift, skillDirsOf } from './skills/drift.js';
import { agent } from './steps/agent.js';
import { end } from './steps/end.js';
import { gate } from './steps/gate.js';
import { set } from './steps/set.js';
import { shell } from './steps/shell.js';
import { listFilesTool } from './tools/list-files.js';
import { patchFileTool } from './tools/patch-file.js';
import { readFileTool } from './tools/read-file.js';
import { searchFilesTool } from './tools/search-files.js';
import { shellTool } from './tools/shell.js';
import { writeFileTool } from './tools/write-file.js';
import { version } from './version.js';

/** Ways to perform a step. */
export const STEP_KINDS: readonly StepKind[] = [agent, shell, set, gate, end];
/** What an agent may be allowed to call. */
export const TOOLS: readonly Tool[] = [
  readFileTool,
  listFilesTool,
  searchFilesTool,
  writeFileTool,
  patchFileTool,
  shellTool,
];

/** The project of `cwd`, with the skills that come with the program. */
export function openProject(around: Surroundings): Project {
  return openProjectAt({ ...around, bundledDir: fileURLToPath(new URL('../skills', import.meta.url)) });
}

/** Reads a skill or a pipeline file and finds all that is wrong with it. Runs nothing. */
export async function checkPipeline(
  target: string,
  around: Surroundings,
  options: { readonly strict?: boolean; readonly overrides?: Readonly<Record<string, string>> } = {},
): Promise<Checked> {
  return checkIn(openProject(around), target, around, options);
}

async function checkIn(
  project: Project,
  target: string,
  around: Surroundings,
  more: Pick<LoadOptions, 'strict' | 'overrides'>,
): Promise<Checked> {
  const checked = await loadPlan(target, {
    ...project.places,
    cwd: around.cwd,
    kinds: around.kinds ?? STEP_KINDS,
    tools: around.tools ?? TOOLS,
    roles: ['default', ...project.config.models.keys()],
    env: around.env,
    ...more,
  });
  return { ...checked, problems: [...project.problems, ...checked.problems] };
}

/**
 * Runs a skill or a pipeline file. Faults of steps are in the report; it throws a Fault only for what keeps a run from being one: a run
 * folder in use, a journal that cannot be written, no usable model.
 */
export async function runPipeline(request: RunRequest): Promise<RunReport> {
  const project = openProject(request);
  const checked = await checkIn(project, request.target, request, { overrides: overridesOf(request) });
  return runChecked(request, checked, project);
}

/** As `runPipeline`, of what has been read and checked already. */
export async function runChecked(
  request: RunRequest,
  checked: Checked,
  project = openProject(request),
): Promise<RunReport> {
  refuseContradictions(request);
  const overrides = overridesOf(request);
  const invalid = (inputs: readonly InputProblem[], more: readonly Problem[] = []) =>
    ({ status: 'invalid', exit: 2, problems: [...checked.problems, ...more], inputs }) as const;
  if (!checked.plan || hasErrors(checked.problems)) return invalid([]);
  const plan: Plan = { ...checked.plan, limits: { ...checked.plan.limits, ...request.limits } };
  refuseDrift(skillDirsOf(plan), project.dir);
  const from = stepMeant(request.from, plan);
  const inputs = await checkInputs(plan, request.inputs ?? {}, request.cwd);
  refuseSecrets(request);
  if (inputs.problems.length > 0) return invalid(inputs.problems);

  const notices: string[] = [];
  const live = () => modelsFor(request, project, (text) => notices.push(text));
  const tape = await tapeOf(request, live);
  const models = tape?.models ?? live();
  if (request.replay !== undefined) notices.push(`no model is asked: replayed from ${request.replay}`);
  const { main: model, all: choices, notices: unusable } = await pickForPlan(plan, models);
  notices.push(...unusable);
  const unsketchable = model?.placeholder ? sketchProblems(plan) : [];
  if (unsketchable.length > 0) return invalid([], unsketchable);
  const sandbox = await sandboxFor(plan, {
    sandbox: request.sandbox ?? project.config.sandbox,
    env: request.env,
    placeholder: model?.placeholder ?? false,
  });
  // Before a folder is made for the fork.
  if (request.fork) refuseDowngrade(readRunFile(request.fork.dir), model, request);
  const session = await openSession({
    skillRunDir: join(request.runsDir ?? join(project.dir, 'skill_run'), plan.name),
    query: request.query,
    inputs: inputs.values,
    overrides,
    newId: request.newId ?? randomUUID,
    fork: request.fork,
    from,
    resume: request.resume === true ? 'newest' : request.resume || undefined,
  });
  try {
    refuseDowngrade(session.earlier, model, request);
    const goOn = goOnMeant(request, plan, session);
    await tape?.begin({ ...session, plan, projectDir: project.dir, query: request.query });
    notices.unshift(...(sandbox.type === 'off' ? [SANDBOX_OFF] : []), ...session.notices);
    notices.push(...upgradeNotice(session.earlier, model, request));
    if (session.interrupted) {
      const ended = await endLeftovers(session.runId);
      if (ended > 0)
        notices.unshift(`ended ${ended} ${ended === 1 ? 'process' : 'processes'} that the interrupted run had left`);
    }
    const { dir } = session.runDir;
    const started = { dir, plan, notices, models: choices, warnings: checked.problems };
    request.onStart?.({ ...started, ...(model ? { model } : {}) });
    return await perform(request, { project, plan, inputs, overrides, models, model, sandbox, session, notices, goOn });
  } finally {
    session.release();
    // What never came to its first fact is no run.
    if (!session.resumed && !existsSync(session.runDir.journal))
      rmSync(session.runDir.dir, { recursive: true, force: true });
  }
}

async function tapeOf(request: RunRequest, live: () => PickedModels): Promise<Tape | undefined> {
  if (request.record === undefined && request.replay === undefined) return undefined;
  const { tapeFor } = await import('./recordings.js');
  return tapeFor(request, live);
}

interface Prepared {
  readonly project: Project;
  readonly plan: Plan;
  readonly inputs: Inputs;
  readonly overrides: Readonly<Record<string, string>>;
  readonly models: Models;
  readonly model: ModelChoice | undefined;
  readonly sandbox: Sandbox;
  readonly session: Session;
  readonly notices: readonly string[];
  readonly goOn: ReturnType<typeof goOnMeant>;
}

async function perform(request: RunRequest, prepared: Prepared): Promise<RunReport> {
  const { project, plan, inputs, models, model, session } = prepared;
  const { query } = request;
  const redactor = createRedactor(request.env);
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
    projectDir: project.dir,
    environment: withoutProviderKeys(request, project),
    models,
    tools: request.tools ?? TOOLS,
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
    sinks: [
      logSink(join(session.runDir.dir, '..', 'pipeline.log'), session.slug, (reason) =>
        troubles.push(`pipeline.log cannot be written: ${reason}`),
      ),
      ...(request.sinks ?? []),
    ],
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
    pid,
    now: begun,
    goOn: prepared.goOn,
  };
  try {
    const file = openFiles(opening);
    await engine.record(openingEvent(opening));
    const say = async (texts: readonly string[]) => {
      for (const text of texts) await engine.record({ type: 'notice', text });
    };
    await say([...prepared.notices, ...troubles.splice(0)]);
    const ended = await engine.walk();
    await say(troubles);
    return await conclude(redactor?.value(ended) ?? ended, begun, clock, file, engine, session);
  } finally {
    await engine.close();
  }
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

function modelsFor(request: RunRequest, { config }: Project, onNotice: (text: string) => void): PickedModels {
  return createModels({
    roles: config.models,
    env: request.env,
    flagModel: request.model,
    detect: (request.detect ?? true) && config.detect,
    cwd: request.cwd,
    clock: request.clock ?? systemClock,
    limits: config.providers,
    onNotice,
    ...(request.providers ? { providers: request.providers } : {}),
  });
}
