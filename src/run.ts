/** runPipeline(): load, check, wire, run. The only file that knows every part. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Census, RunStatus, Sink, UsageTotal } from './core/events.js';
import { Fault, type FaultData } from './core/faults.js';
import type { Json } from './core/json.js';
import { hasErrors, type Problem } from './core/problems.js';
import type {
  Clock,
  Delta,
  Limits,
  Models,
  Plan,
  Processes,
  Provider,
  Step,
  StepKind,
  StepPath,
  Tool,
} from './core/types.js';
import { systemClock } from './engine/clock.js';
import { createEngine, type Ended } from './engine/engine.js';
import { pointLatest, type RunFile, writeRunFile } from './engine/run-file.js';
import { openSession, type Session } from './engine/session.js';
import { ensureDir, writeFileAtomic } from './files/atomic-write.js';
import { realFiles } from './files/layer.js';
import { type Config, loadConfig } from './load/config.js';
import { checkInputs, type InputProblem, type Inputs } from './load/given-inputs.js';
import { loadPlan } from './load/load.js';
import { findProject } from './load/project.js';
import { findSkill, type SkillPlaces } from './load/skills.js';
import { endLeftovers } from './process/group.js';
import { createProcesses } from './process/run.js';
import { createModels, type ModelChoice, type ModelRole, type PickedModels } from './providers/models.js';
import { logSink } from './sinks/log.js';
import { agent } from './steps/agent.js';
import { end } from './steps/end.js';
import { set } from './steps/set.js';
import { shell } from './steps/shell.js';
import { listFilesTool } from './tools/list-files.js';
import { patchFileTool } from './tools/patch-file.js';
import { readFileTool } from './tools/read-file.js';
import { searchFilesTool } from './tools/search-files.js';
import { writeFileTool } from './tools/write-file.js';
import { version } from './version.js';

/** Ways to perform a step. */
export const STEP_KINDS: readonly StepKind[] = [agent, shell, set, end];
/** What an agent may be allowed to call. */
export const TOOLS: readonly Tool[] = [readFileTool, listFilesTool, searchFilesTool, writeFileTool, patchFileTool];

/** What the program around it knows: folders are absolute. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly skillsDirs?: readonly string[];
  readonly kinds?: readonly StepKind[];
  readonly tools?: readonly Tool[];
}

export interface Project {
  readonly dir: string;
  readonly config: Config;
  readonly places: SkillPlaces;
  readonly problems: readonly Problem[];
}

export function openProject({ cwd, env, skillsDirs }: Surroundings): Project {
  const dir = findProject(cwd);
  const homeDir = env.HOME;
  const { config, problems } = loadConfig({ projectDir: dir, homeDir, configHome: env.XDG_CONFIG_HOME });
  const bundledDir = fileURLToPath(new URL('../skills', import.meta.url));
  return { dir, config, places: { projectDir: dir, skillsDirs, homeDir, bundledDir }, problems };
}

export interface Checked {
  readonly plan?: Plan;
  readonly problems: readonly Problem[];
}

/** Reads a skill or a pipeline file and finds all that is wrong with it. Runs nothing. */
export async function checkPipeline(
  target: string,
  around: Surroundings,
  options: { readonly strict?: boolean } = {},
): Promise<Checked> {
  const project = openProject(around);
  const checked = await loadPlan(target, {
    ...project.places,
    cwd: around.cwd,
    kinds: around.kinds ?? STEP_KINDS,
    tools: around.tools ?? TOOLS,
    roles: ['default', ...project.config.models.keys()],
    strict: options.strict ?? false,
  });
  return { ...checked, problems: [...project.problems, ...checked.problems] };
}

export interface RunRequest extends Surroundings {
  /** A skill's name, or a path to a pipeline file or skill folder. */
  readonly target: string;
  readonly query: string;
  /** Text as on a command line, or values. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Replaces every model: `provider/model-id`, a role, `sketch`, `script:<file>`. */
  readonly model?: string;
  /** Look for a model server on this machine; true unless the configuration says otherwise. */
  readonly detect?: boolean;
  /** Go on with the newest run of the same query and inputs. */
  readonly resume?: boolean;
  /** Repeat an interrupted `effect: once` step. */
  readonly retryUnknown?: boolean;
  readonly limits?: Partial<Limits>;
  readonly providers?: Readonly<Record<string, Provider>>;
  readonly sinks?: readonly Sink[];
  readonly onDelta?: (path: StepPath, delta: Delta) => void;
  /** Told once, before the first step. */
  readonly onStart?: (start: RunStart) => void;
  /** Its reason is a Fault, e.g. `run.cancelled`. */
  readonly signal?: AbortSignal;
  /** Ends all processes without waiting for them to end in good order. */
  readonly kill?: AbortSignal;
  /** Real ones unless given. */
  readonly clock?: Clock;
  readonly processes?: Processes;
  readonly random?: () => number;
}

export interface RunStart {
  readonly dir: string;
  readonly plan: Plan;
  /** Undefined when no step calls a model. */
  readonly model?: ModelChoice;
  readonly notices: readonly string[];
  readonly warnings: readonly Problem[];
}

export type RunReport =
  /** Nothing was run, and no folder was made. */
  | {
      readonly status: 'invalid';
      readonly exit: 2;
      readonly problems: readonly Problem[];
      readonly inputs: readonly InputProblem[];
    }
  | {
      readonly status: RunStatus;
      readonly exit: number;
      readonly outcome: string;
      readonly message: string;
      /** The run folder. */
      readonly dir: string;
      readonly result: Json;
      readonly census: Census;
      readonly usage: UsageTotal;
      readonly fault?: FaultData;
    };

/**
 * Runs a skill or a pipeline file. Faults of steps are in the report; it throws a Fault only for what keeps a run from being one: a run
 * folder in use, a journal that cannot be written, no usable model.
 */
export async function runPipeline(request: RunRequest): Promise<RunReport> {
  const project = openProject(request);
  const checked = await checkPipeline(request.target, request);
  if (!checked.plan || hasErrors(checked.problems))
    return { status: 'invalid', exit: 2, problems: checked.problems, inputs: [] };
  const plan: Plan = { ...checked.plan, limits: { ...checked.plan.limits, ...request.limits } };
  const inputs = await checkInputs(plan, request.inputs ?? {}, request.cwd);
  if (inputs.problems.length > 0)
    return { status: 'invalid', exit: 2, problems: checked.problems, inputs: inputs.problems };

  const notices: string[] = [];
  const models = modelsFor(request, project, (text) => notices.push(text));
  const model = await firstModel(plan, models);
  refuseUnpriced(plan, model);
  const session = await openSession({
    skillRunDir: join(project.dir, 'skill_run', plan.name),
    query: request.query,
    inputs: inputs.values,
    newId: randomUUID,
    resume: request.resume ? 'newest' : undefined,
  });
  notices.unshift(...session.notices);
  if (session.interrupted) {
    const ended = await endLeftovers(session.runId);
    if (ended > 0) notices.unshift(`ended ${ended} processes that the interrupted run had left`);
  }
  try {
    request.onStart?.({
      dir: session.runDir.dir,
      plan,
      notices,
      warnings: checked.problems,
      ...(model ? { model } : {}),
    });
    return await perform(request, { project, plan, inputs, models, model, session, notices });
  } finally {
    session.release();
  }
}

interface Prepared {
  readonly project: Project;
  readonly plan: Plan;
  readonly inputs: Inputs;
  readonly models: Models;
  readonly model: ModelChoice | undefined;
  readonly session: Session;
  readonly notices: readonly string[];
}

async function perform(request: RunRequest, prepared: Prepared): Promise<RunReport> {
  const { project, plan, inputs, models, model, session } = prepared;
  const { runDir } = session;
  const clock = request.clock ?? systemClock;
  const begun = clock.now();
  const unlogged: string[] = [];
  const processes = request.processes ?? ownProcesses(session.runId, request.kill);
  const engine = createEngine({
    plan,
    session,
    query: request.query,
    inputs: inputs.values,
    namedInputs: inputs.named,
    readable: inputs.files,
    projectDir: project.dir,
    environment: request.env,
    models,
    tools: request.tools ?? TOOLS,
    placeholder: model?.placeholder ?? false,
    processes,
    clock,
    random: request.random ?? Math.random,
    newId: randomUUID,
    retryUnknown: request.retryUnknown ?? false,
    findSkill: (name) => findSkill(name, project.places).skill,
    sinks: [
      logSink(join(runDir.dir, '..', 'pipeline.log'), session.slug, (reason) => unlogged.push(reason)),
      ...(request.sinks ?? []),
    ],
    files: realFiles,
    onSinkError: (error) => unlogged.push(error instanceof Error ? error.message : String(error)),
    onDelta: request.onDelta ?? (() => undefined),
    signal: request.signal ?? new AbortController().signal,
  });
  const file = runFileOf(request, prepared, new Date(begun).toISOString());
  writeRunFile(runDir.runJson, file);
  pointLatest(join(runDir.dir, '..'), session.slug);
  ensureDir(join(runDir.dir, '.steps'));
  writeFileAtomic(
    join(runDir.dir, '.steps', '.inputs.json'),
    JSON.stringify({ query: request.query, ...inputs.values }),
    { durable: false },
  );
  try {
    await engine.record(session.resumed ? resumedEvent(model) : startedEvent(request, prepared));
    for (const text of [
      ...prepared.notices,
      ...unlogged.map((reason) => `pipeline.log cannot be written: ${reason}`),
    ]) {
      await engine.record({ type: 'notice', text });
    }
    const ended = await engine.walk();
    return await conclude(ended, clock.now() - begun, file, engine.record, session);
  } finally {
    await engine.close();
  }
}

function ownProcesses(marker: string, kill: AbortSignal | undefined): Processes {
  const processes = createProcesses({ marker });
  kill?.addEventListener('abort', () => void processes.endAll(true), { once: true });
  return processes;
}

async function conclude(
  ended: Ended,
  ms: number,
  file: RunFile,
  record: (event: Parameters<Awaited<ReturnType<typeof createEngine>>['record']>[0]) => Promise<void>,
  session: Session,
): Promise<RunReport> {
  const census = session.counts.census();
  const usage = session.counts.usage();
  const facts = { ...ended, census, usage };
  await record({ type: 'run_ended', ...facts, ms });
  writeRunFile(session.runDir.runJson, {
    ...file,
    ...facts,
    ended: new Date(Date.parse(file.started) + ms).toISOString(),
  });
  return { ...facts, dir: session.runDir.dir };
}

function startedEvent(request: RunRequest, { plan, inputs, model, session }: Prepared) {
  const steps = plan.steps.map((step) => ({
    id: step.id,
    title: step.title,
    kind: step.body.type === 'group' ? 'steps' : step.body.kind.name,
  }));
  return {
    type: 'run_started' as const,
    format: 1 as const,
    run: session.runId,
    skill: plan.name,
    slug: session.slug,
    query: request.query,
    inputs: inputs.values,
    file: plan.file,
    version,
    steps,
    ...(model ? { model: model.label } : {}),
  };
}

function resumedEvent(model: ModelChoice | undefined) {
  return { type: 'run_resumed' as const, pid: process.pid, version, ...(model ? { model: model.label } : {}) };
}

function runFileOf(request: RunRequest, { plan, inputs, model, session }: Prepared, started: string): RunFile {
  return {
    run: session.runId,
    skill: plan.name,
    slug: session.slug,
    query: request.query,
    inputs: inputs.values,
    file: plan.file,
    version,
    node: process.version,
    models: model ? [model.label] : [],
    placeholder: model?.placeholder ?? false,
    inputFiles: inputs.hashes,
    started,
    status: 'running',
  };
}

function modelsFor(request: RunRequest, project: Project, onNotice: (text: string) => void): PickedModels {
  const { config } = project;
  const roles: Record<string, ModelRole> = {};
  for (const [name, role] of config.models) {
    const { provider, model, baseUrl, fallback, price, parameters } = role;
    roles[name] = {
      ...parameters,
      provider,
      model,
      fallback,
      ...(baseUrl ? { base_url: baseUrl } : {}),
      ...(price ? { price: { ...price } } : {}),
    };
  }
  return createModels({
    roles,
    env: request.env,
    flagModel: request.model,
    detect: (request.detect ?? true) && config.detect,
    cwd: request.cwd,
    onNotice,
    ...(request.providers ? { providers: request.providers } : {}),
  });
}

/** Every model of the plan is picked before anything runs, so that a missing one costs nothing. */
async function firstModel(plan: Plan, models: PickedModels): Promise<ModelChoice | undefined> {
  const names = modelNames(plan.steps);
  if (names.size === 0) return undefined;
  const choices = await Promise.all([...names].map((name) => models.describe(name)));
  const [first] = choices;
  return first && { ...first, placeholder: choices.some((choice) => choice.placeholder) };
}

/** A limit that could not be kept is refused before it could be passed. */
function refuseUnpriced(plan: Plan, model: ModelChoice | undefined): void {
  const limited = plan.limits.usd !== undefined || someStep(plan.steps, (step) => step.limits.usd !== undefined);
  if (!limited || !model || model.host === '') return;
  throw new Fault('config.invalid', `"${plan.name}" has a limit in usd, but the price of ${model.label} is not known`, {
    hint: 'Prices come with a later version: use limits.tokens.',
  });
}

function someStep(steps: readonly Step[], holds: (step: Step) => boolean): boolean {
  return steps.some((step) => holds(step) || (step.body.type === 'group' && someStep(step.body.steps, holds)));
}

function modelNames(steps: readonly Step[]): Set<string> {
  const names = new Set<string>();
  for (const { body } of steps) {
    const inner = body.type === 'group' ? modelNames(body.steps) : body.inspection.models;
    for (const name of inner) if (!name.includes('${{')) names.add(name);
  }
  return names;
}
