/** What a run would do, in order, as far as it can be told without a network, a process or a file being written. */
import type { JsonObject } from '../core/json.js';
import type { PriceOf } from '../core/model.js';
import type { Permissions, Plan } from '../core/plan.js';
import { type Cost, costOf } from './cost.js';
import type { DryStep } from './dry-step.js';
import { forecastSteps } from './forecast-steps.js';
import { rootsOf } from './known.js';
import { type WorstCase, worstCase } from './worst-case.js';

export interface DryRun {
  readonly skill: string;
  readonly file: string;
  readonly query: string;
  readonly inputs: JsonObject;
  /** In the order of the file. */
  readonly steps: readonly DryStep[];
  /** With the number of items where it is known. */
  readonly worst: WorstCase;
  /** Names of models that may take the place of those of `worst.callsByModel`. */
  readonly fallbacks: readonly string[];
  readonly cost: Cost;
  readonly permissions: Permissions;
  /** First words of the commands, what is known only in words, and tools of agents whose commands no sandbox confines. */
  readonly programs: readonly string[];
  /** Tools of agents whose commands run in the sandbox. */
  readonly confined: readonly string[];
  /** What is known to fail. */
  readonly problems: readonly string[];
  /** What fails if the run gets there, or fails without failing the run. */
  readonly notes: readonly string[];
}

export interface DryRunOptions {
  /** Absolute. */
  readonly projectDir: string;
  /** Of a role or `provider/model-id`; undefined if nobody knows. */
  readonly priceOf?: (model: string) => PriceOf | undefined;
  /** Names of models that may take the place of those that steps ask. */
  readonly fallbacks?: readonly string[];
  /** `off`: what a model writes is not confined either. */
  readonly sandbox?: 'auto' | 'off';
  /** Why such a run is refused before its first step. */
  readonly refusals?: readonly string[];
}

/** @param inputs with their defaults */
export function dryRun(plan: Plan, query: string, inputs: JsonObject, options: DryRunOptions): DryRun {
  const { projectDir, priceOf = () => undefined, fallbacks = [], sandbox = 'auto', refusals = [] } = options;
  const known = rootsOf(plan, query, inputs, projectDir);
  const { steps, items, leastTokens, programs, shells, problems, notes } = forecastSteps(plan, known, projectDir);
  const worst = worstCase(plan, (step) => items.get(step));
  return {
    skill: plan.name,
    file: plan.file,
    query,
    inputs,
    steps,
    worst,
    fallbacks,
    cost: costOf(worst, leastTokens, priceOf, fallbacks),
    permissions: plan.permissions,
    programs: sandbox === 'off' ? [...programs, ...shells] : [...programs],
    confined: sandbox === 'off' ? [] : [...shells],
    problems: [...refusals, ...problems],
    notes,
  };
}
