/** pipeline run --dry-run: what a run would do, without a network, a process or a file being written. */
import {
  type AskingStep,
  askingSteps,
  hasUsdLimit,
  modelNames,
  refuseBlind,
  refuseUnpriced,
} from '../core/asked-models.js';
import type { PriceOf } from '../core/model.js';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { dryRun } from '../forecast/dry-run.js';
import { checkInputs, type InputProblem } from '../load/given-inputs.js';
import type { Project } from '../load/open-project.js';
import { problemsText } from '../load/report.js';
import { seesImages } from '../providers/abilities.js';
import type { ModelRole } from '../providers/models.js';
import { rolePrice } from '../providers/role-price.js';
import { checkPipeline, openProject } from '../run.js';
import { dryRunText } from './dry-run-text.js';
import { columnsOfScreen, printJson, printResult, say } from './output.js';
import { givenInputs, givenLimits, givenOverrides, givenWord, refuseModel } from './run-options.js';
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
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function dryRunCommand(target: string, query: string, options: DryRunOptions): Promise<void> {
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
  const models = await configured(plan, project, options.replay === undefined ? options.model : 'replay');
  refuseModels(plan, project, options.model, models);
  const dry = dryRun(plan, query, inputs.values, { projectDir: project.dir, priceOf: models.priceOf });
  if (dry.problems.length > 0) process.exitCode = 2;
  const roles = Object.keys(dry.worst.callsByModel);
  const labels = Object.fromEntries(roles.map((role) => [role, models.labelOf(role) ?? null]));
  if (options.json) return printJson({ status: 'dry_run', ...dry, models: labels });
  const { stdout } = process;
  printResult(dryRunText(dry, labels, stdout.isTTY ? columnsOfScreen(stdout) : undefined));
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

/** As a run would, as far as the configuration tells. */
function refuseModels(plan: Plan, { config }: Project, flag: string | undefined, models: Configured): void {
  const names = [...modelNames(plan)];
  if (names.length === 0) return;
  if (flag !== undefined) refuseModel(flag, [...config.models.keys()]);
  refuseBlindModels(plan, models);
  const asked = [...names, ...models.fallbacks];
  const unpriced = asked.filter((name) => models.priceOf(name) === undefined).map((name) => models.labelOf(name));
  refuseUnpriced(
    plan,
    unpriced.filter((label) => label !== undefined),
  );
  if (hasUsdLimit(plan) && unpriced.length > 0)
    say('! A run refuses the limit in usd if the price of its model is not known, and the configuration names none.');
}

function refuseBlindModels(plan: Plan, models: Configured): void {
  let isOpen = false;
  for (const step of askingSteps(plan).filter(({ images }) => images)) {
    for (const name of [...step.models, ...models.fallbackOf(step)]) {
      const label = models.labelOf(name);
      if (label === undefined) isOpen = true;
      else refuseBlind(step.id, label, models.sees(name));
    }
  }
  if (isOpen)
    say('! A run refuses images if its model is not known to take them, and the configuration names no model.');
}

function refuse(problems: readonly Problem[], inputs: readonly InputProblem[], options: DryRunOptions): void {
  process.exitCode = 2;
  if (options.json) printJson({ status: 'invalid', exit: 2, problems, inputs });
  else if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
  if (options.json) return;
  for (const { message, hint } of inputs) say(`✗ ${message}${hint ? `\n  try  ${hint}` : ''}`);
}

interface Configured {
  /** Of a role: `provider/model-id`; undefined if the configuration does not say. */
  labelOf(role: string): string | undefined;
  priceOf(role: string): PriceOf | undefined;
  /** Whether it takes images; undefined if nobody knows. */
  sees(role: string): boolean | undefined;
  /** Names of models that take the place of the step's. */
  fallbackOf(step: AskingStep): readonly string[];
  /** Of all steps. */
  readonly fallbacks: readonly string[];
}

/** From the configuration alone: nothing is looked for, nobody is asked. */
async function configured(plan: Plan, { config: { models } }: Project, flag: string | undefined): Promise<Configured> {
  const isFree = flag === 'sketch' || flag === 'replay' || flag?.startsWith('script:') === true;
  const behind = (name: string): ModelRole | undefined => {
    const wanted = flag ?? name;
    return models.get(wanted) ?? named(wanted) ?? (flag === undefined ? models.get('default') : undefined);
  };
  const fallbackOf = ({ fallback, models: asked }: AskingStep) => {
    if (flag !== undefined) return [];
    return fallback.length > 0 ? fallback : asked.flatMap((name) => behind(name)?.fallback ?? []);
  };
  const fallbacks = askingSteps(plan).flatMap(fallbackOf);
  const prices = new Map<string, PriceOf | undefined>();
  for (const name of [...modelNames(plan), ...fallbacks]) {
    const role = behind(name);
    prices.set(name, isFree ? () => 0 : role && (await rolePrice(role, process.env)));
  }
  return {
    labelOf(name) {
      const role = behind(name);
      return role ? `${role.provider}/${role.model}` : flag;
    },
    priceOf: (name) => prices.get(name),
    sees(name) {
      const role = behind(name);
      if (isFree || role?.provider === 'sketch') return true;
      return role && (role.images ?? seesImages(role.model));
    },
    fallbackOf,
    fallbacks,
  };
}

/** `provider/model-id`. */
function named(name: string): ModelRole | undefined {
  const [, provider, model] = /^([^/:]+)\/(.+)$/s.exec(name) ?? [];
  return provider && model ? { provider, model } : undefined;
}
