/** runPipeline(): load, check, wire, run. The only file that knows every kind and tool. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED_SKILLS } from './bundled-skills.js';
import { systemClock } from './core/clock.js';
import type { StepKind } from './core/kind.js';
import type { Plan } from './core/plan.js';
import { hasErrors, type Problem } from './core/problems.js';
import { createRedactor, type Redactor } from './core/secrets.js';
import type { Tool } from './core/tool.js';
import { command } from './driver/command.js';
import { ending } from './driver/ending.js';
import { next } from './driver/next.js';
import { subagent } from './driver/subagent.js';
import { refuseLooseGrants } from './engine/grants.js';
import { readRunFile } from './engine/run-file.js';
import { openSession } from './engine/session.js';
import { goOnMeant } from './going-on/go-on-meant.js';
import { refuseDowngrade, upgradeNotice } from './going-on/model-change.js';
import { overridesOf } from './going-on/overrides.js';
import { refuseContradictions, refuseForkOfDriven, refuseSecrets } from './going-on/refuse-request.js';
import { stepMeant } from './going-on/step-meant.js';
import { checkInputs, type InputProblem } from './load/given-inputs.js';
import { type LoadOptions, loadPlan } from './load/load.js';
import { openProject as openProjectAt, type Project } from './load/open-project.js';
import { runsDirOf } from './load/project.js';
import { SANDBOX_OFF, sandboxFor } from './machine.js';
import { perform } from './perform.js';
import { endLeftovers } from './process/group.js';
import { createModels, type PickedModels } from './providers/models.js';
import { pickForPlan } from './providers/plan-models.js';
import { sketchProblems } from './providers/sketch-problems.js';
import type { Tape } from './recordings.js';
import type { Checked, RunReport, RunRequest, Surroundings } from './request.js';
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

/** Ways to perform a step. */
export const STEP_KINDS: readonly StepKind[] = [agent, shell, set, gate, end];
/** How a skill that its scripts/run.* drives is performed. */
const DRIVER: readonly StepKind[] = [next, subagent, command, ending];
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
  return openProjectAt({ ...around, bundledDir: BUNDLED_SKILLS });
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
    driver: DRIVER,
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
  const limited: Plan = { ...checked.plan, limits: { ...checked.plan.limits, ...request.limits } };
  const plan = await adaptedAs(request, limited);
  refuseForkOfDriven(request, plan);
  refuseDrift(skillDirsOf(plan), project.dir);
  const from = stepMeant(request.from, plan);
  const inputs = await checkInputs(plan, request.inputs ?? {}, request.cwd);
  const redactor = createRedactor(request.env);
  refuseSecrets(request, redactor);
  if (inputs.problems.length > 0) return invalid(inputs.problems);
  refuseLooseGrants(plan, inputs.files);

  const notices: string[] = [];
  const live = () => modelsFor(request, project, (text) => notices.push(text));
  const tape = await tapeOf(request, live, redactor);
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
    skillRunDir: join(request.runsDir ?? runsDirOf(project.dir), plan.name),
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
    const used = session.counts.usage();
    const started = { dir, plan, used, notices, models: choices, warnings: checked.problems };
    request.onStart?.({ ...started, ...(model ? { model } : {}) });
    return await perform(request, {
      project,
      plan,
      inputs,
      overrides,
      models,
      model,
      sandbox,
      session,
      notices,
      goOn,
      redactor,
      tools: request.tools ?? TOOLS,
    });
  } finally {
    session.release();
    // What never came to its first fact is no run.
    if (![session.runDir.journal, session.runDir.runJson].some((file) => existsSync(file)))
      rmSync(session.runDir.dir, { recursive: true, force: true });
  }
}

/** With the adapters of the program in the place of the agents that it names. */
async function adaptedAs({ adapters = {} }: RunRequest, plan: Plan): Promise<Plan> {
  const named = Object.entries(adapters);
  if (named.length === 0) return plan;
  const { withAdapters } = await import('./adapters/in-place.js');
  return withAdapters(plan, new Map(named.map(([id, adapter]) => [stepMeant(id, plan) ?? id, adapter])));
}

async function tapeOf(
  request: RunRequest,
  live: () => PickedModels,
  redactor: Redactor | undefined,
): Promise<Tape | undefined> {
  if (request.record === undefined && request.replay === undefined) return undefined;
  const { tapeFor } = await import('./recordings.js');
  return tapeFor(request, live, redactor);
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
