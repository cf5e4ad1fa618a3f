/** pipeline run --dry-run: what a run would do, without a network, a process of the skill or a file being written. */
import { askingSteps, fallbackOf, hasUsdLimit, modelNames, refuseBlind, refuseUnpriced } from '../core/asked-models.js';
import { Fault } from '../core/faults.js';
import type { PriceOf } from '../core/model.js';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { isProviderKey } from '../core/provider-keys.js';
import { dryRun } from '../forecast/dry-run.js';
import { checkInputs, type InputProblem } from '../load/given-inputs.js';
import type { Project } from '../load/open-project.js';
import { problemsText } from '../load/report.js';
import { sandboxFor } from '../machine.js';
import { describeOffline, embedded, type OfflineModel } from '../providers/offline.js';
import { checkPipeline, openProject } from '../run.js';
import { refuseDrift, skillDirsOf } from '../skills/drift.js';
import { dryRunText } from './dry-run-text.js';
import { columnsOfScreen, printJson, printResult, say } from './output.js';
import { givenInputs, givenLimits, givenOverrides, givenWord } from './run-options.js';
import { givenTape } from './tape-options.js';

export interface DryRunOptions {
  readonly input: readonly string[];
  readonly model?: string;
  readonly record?: string;
  readonly replay?: string;
  readonly resume?: boolean;
  readonly retryUnknown?: boolean;
  readonly assumeDone?: boolean | string;
  readonly output?: string;
  readonly set?: readonly string[];
  readonly limit: readonly string[];
  readonly maxParallel?: number;
  readonly sandbox?: 'auto' | 'off';
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

/** @param print gets the plan */
export async function dryRunCommand(
  target: string,
  query: string,
  options: DryRunOptions,
  print: (text: string) => void = printResult,
): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  givenWord(options, options.resume === true);
  givenTape(options);
  const project = openProject(around);
  const { plan: read, problems } = await checkPipeline(target, around, {
    overrides: givenOverrides(options.set ?? []),
  });
  if (!read || hasErrors(problems)) {
    refuse(problems, [], options);
    return;
  }
  const plan: Plan = { ...read, limits: { ...read.limits, ...givenLimits(options.limit, options.maxParallel) } };
  const inputs = await checkInputs(plan, givenInputs(options.input), around.cwd);
  if (inputs.problems.length > 0) {
    refuse(problems, inputs.problems, options);
    return;
  }
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  for (const note of leftOut(options)) say(note);
  const models = await modelsOffline(plan, project, options);
  refuseModels(plan, models);
  const { priceOf, fallbacks } = models;
  const sandbox = options.sandbox ?? project.config.sandbox;
  const refusals = await refusalsOf(plan, project, { sandbox, env: process.env }, sketched(plan, models));
  const dry = dryRun(plan, query, inputs.values, { projectDir: project.dir, priceOf, fallbacks, sandbox, refusals });
  if (dry.problems.length > 0) process.exitCode = 2;
  const names = [...Object.keys(dry.worst.callsByModel), ...fallbacks];
  const labels = Object.fromEntries(names.map((name) => [name, models.describe(name).label ?? null]));
  if (options.json) return printJson({ status: 'dry_run', ...dry, models: labels });
  const { stdout } = process;
  const isSketch = names.some((name) => models.describe(name).orElse !== undefined);
  const columns = stdout.isTTY ? columnsOfScreen(stdout) : undefined;
  print(dryRunText(dry, labels, columns, isSketch ? 'sketch, unless a server is found' : ''));
}

function leftOut({ resume, record, retryUnknown, assumeDone, output }: DryRunOptions): string[] {
  const unfinished = 'what an earlier run left unfinished is not looked at';
  const options = [
    ...(resume ? [['--resume', 'what could be reused of an earlier run is not looked at']] : []),
    ...(retryUnknown ? [['--retry-unknown', unfinished]] : []),
    ...(assumeDone ? [['--assume-done', unfinished]] : []),
    ...(output === undefined ? [] : [['--output', unfinished]]),
    ...(record === undefined ? [] : [['--record', 'no model is asked, so there is nothing to write down']]),
  ];
  return options.map(([name, why]) => `! ${name} is left out: ${why}.`);
}

/** What a run refuses as unsafe: a skill that is not what was agreed to, commands of a model without a sandbox. */
async function refusalsOf(plan: Plan, project: Project, asked: SandboxAsked, isSketched: boolean | undefined) {
  const drift = await refusalOf(() => refuseDrift(skillDirsOf(plan), project.dir));
  const unsafe = await refusalOf(() => sandboxFor(plan, { ...asked, placeholder: isSketched === true }));
  if (unsafe.length > 0 && isSketched === undefined)
    say(`! Unless its model is sketch, a run is refused: ${unsafe[0]}`);
  return [...drift, ...(isSketched === undefined ? [] : unsafe)];
}

/** Whether a placeholder takes the place of a model, and so writes no commands; undefined if only a run can tell. */
function sketched(plan: Plan, { describe }: Offline): boolean | undefined {
  const labels = [...modelNames(plan)].map((name) => describe(name).label);
  if (labels.includes('sketch')) return true;
  const hasKey = Object.entries(process.env).some(([name, value]) => value && isProviderKey(name));
  return labels.includes(undefined) && !hasKey ? undefined : false;
}

type SandboxAsked = Omit<Parameters<typeof sandboxFor>[1], 'placeholder'>;

async function refusalOf(look: () => unknown): Promise<string[]> {
  try {
    await look();
    return [];
  } catch (error) {
    if (!(error instanceof Fault) || error.data.code !== 'config.unsafe') throw error;
    const { message, hint } = error.data;
    return [hint === undefined ? message : `${message} ${hint}`];
  }
}

/** As a run would, as far as the configuration tells. */
function refuseModels(plan: Plan, { describe, priceOf }: Offline): void {
  const steps = askingSteps(plan).map(({ models, ...step }) => {
    const standIns = fallbackOf({ models, ...step }, (name) => describe(name).fallback);
    return { ...step, asked: [...models, ...standIns] };
  });
  const shown = steps.flatMap(({ id, images, asked }) =>
    images ? asked.map((name) => ({ id, ...describe(name) })) : [],
  );
  for (const { id, label, sees } of shown) if (label !== undefined) refuseBlind(id, { label, sees });
  if (shown.some(({ label }) => label === undefined))
    say('! A run refuses images if its model is not known to take them, and the configuration names no model.');

  const unpriced = steps
    .flatMap(({ asked }) => asked.filter((name) => priceOf(name) === undefined))
    .map((name) => describe(name).label);
  refuseUnpriced(
    plan,
    unpriced.filter((label) => label !== undefined),
  );
  if (hasUsdLimit(plan) && unpriced.length > 0)
    say('! A run refuses the limit in usd if the price of its model is not known, and the configuration names none.');
}

function refuse(problems: readonly Problem[], inputs: readonly InputProblem[], options: DryRunOptions): void {
  process.exitCode = 2;
  if (options.json) printJson({ status: 'invalid', exit: 2, problems, inputs });
  else if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
  if (options.json) return;
  for (const { message, hint } of inputs) say(`✗ ${message}${hint ? `\n  try  ${hint}` : ''}`);
}

/** The models of a plan as the configuration tells them: nothing is looked for, nobody is asked. */
interface Offline {
  /** Of a role or `provider/model-id`. */
  describe(name: string): OfflineModel;
  /** Undefined if nobody knows. */
  priceOf(name: string): PriceOf | undefined;
  /** Names of those that may take the place of another one. */
  readonly fallbacks: readonly string[];
}

/** Throws for a `--model` that names none, if any model is asked. */
async function modelsOffline(plan: Plan, { config }: Project, options: DryRunOptions): Promise<Offline> {
  const offline = { roles: config.models, cwd: process.cwd(), env: process.env, flagModel: options.model };
  const describe = (name: string) =>
    options.replay === undefined ? describeOffline(name, offline) : embedded('replay');
  const asked = modelNames(plan);
  const all = new Set([...asked, ...askingSteps(plan).flatMap(({ fallback }) => fallback)]);
  // One that cannot be used gives way to its own fallbacks.
  for (const name of all) for (const next of describe(name).fallback) all.add(next);
  const prices = new Map<string, PriceOf | undefined>();
  for (const name of all) prices.set(name, await describe(name).price());
  const replacesAll = options.model !== undefined || options.replay !== undefined;
  return {
    describe,
    priceOf: (name) => prices.get(name),
    fallbacks: replacesAll ? [] : [...all].filter((name) => !asked.has(name)),
  };
}
