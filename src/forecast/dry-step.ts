/** A step as a dry run tells of it. */
import { kindOf, type Step } from '../core/plan.js';
import { overText, sourceOf } from '../graph/written.js';
import type { Fate } from './fates.js';
import type { DryText } from './texts.js';
import { type ItemsOf, worstCalls } from './worst-case.js';

export interface DryStep {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly after: readonly string[];
  /** The step before it that is known to end the run: this one is not reached. */
  readonly endedBy?: string;
  /** `holds`: what it comes to, where that is known. */
  readonly when?: { readonly source: string; readonly holds?: boolean };
  /** `items`: how many there are, where that is known, the same each time. */
  readonly foreach?: { readonly over: string; readonly maxItems: number; readonly items?: number };
  readonly repeat?: { readonly until: string; readonly max: number; readonly onMax: string };
  readonly attempts: number;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly limits: Step['limits'];
  readonly onError: string;
  readonly effect: string;
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** At most, over all items, rounds and attempts, with what it holds. */
  readonly calls: number;
  /** Prompts, commands, questions. */
  readonly texts: readonly DryText[];
  /** Where its schema stands. */
  readonly output?: string;
  /** Files made from its output, as written. */
  readonly saves: readonly string[];
  readonly artifacts: readonly string[];
  readonly steps?: readonly DryStep[];
}

/** @param items how many its loop has, where that is known */
export function dryStep(
  step: Step,
  fates: readonly Fate[],
  items: number | undefined,
  texts: readonly DryText[],
  held: readonly DryStep[] | undefined,
  itemsOf: ItemsOf,
): DryStep {
  const { id, title, after, when, foreach, repeat, retry, timeoutMs, idleTimeoutMs, limits, onError, effect } = step;
  const leaf = step.body.type === 'leaf' ? step.body : undefined;
  const over = foreach && { over: overText(foreach.over), maxItems: foreach.maxItems };
  return {
    id,
    title,
    kind: kindOf(step),
    after,
    ...(when ? { when: { source: when.source, ...agreed(fates) } } : {}),
    ...(over ? { foreach: { ...over, ...(items === undefined ? {} : { items }) } } : {}),
    ...(repeat ? { repeat: { until: repeat.until.source, max: repeat.max, onMax: repeat.onMax } } : {}),
    attempts: retry.attempts,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    limits,
    onError,
    effect,
    models: leaf?.inspection.models ?? [],
    tools: leaf?.inspection.tools ?? [],
    calls: worstCalls(step, itemsOf),
    texts,
    ...(step.output ? { output: step.output.source } : {}),
    saves: step.save.map(({ path }) => sourceOf(path)),
    artifacts: step.artifacts,
    ...(held ? { steps: held } : {}),
  };
}

/** True or false only where the condition comes to the same each time. */
function agreed(fates: readonly Fate[]): { readonly holds?: boolean } {
  const types = new Set(fates.map(({ type }) => type).filter((type) => type !== 'over'));
  const [only] = types;
  if (types.size !== 1 || (only !== 'runs' && only !== 'skipped')) return {};
  return { holds: only === 'runs' };
}

/** What stands after it is then not sure to be performed. */
export function mayEnd({ kind, when, endedBy, steps = [] }: DryStep): boolean {
  if (when?.holds === false || endedBy !== undefined) return false;
  return kind === 'end' || (kind === 'steps' && steps.some(mayEnd));
}
