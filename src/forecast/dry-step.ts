/** What is known of each step before a run: whether it runs, over what, with which texts and bounds. */
import type { Template } from '../core/expression.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import { kindOf, type Plan, type Step, stepsIn } from '../core/plan.js';
import { overText, sourceOf } from '../graph/written.js';
import { foresee, foreseeCondition, type Known, rootsOf, withItem, withoutItem, withStep } from './known.js';
import { type DryText, textsOf } from './texts.js';
import { worstCalls } from './worst-case.js';

export interface DryStep {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly after: readonly string[];
  /** `holds`: what it comes to, where that is known. */
  readonly when?: { readonly source: string; readonly holds?: boolean };
  /** `items`: how many there are, where that is known. */
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

export interface Forecast {
  readonly steps: readonly DryStep[];
  readonly items: ReadonlyMap<Step, number>;
  readonly leastTokens: Readonly<Record<string, number>>;
  readonly programs: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** So many items of a loop are shown. */
const SAMPLES = 3;
const CHARACTERS_PER_TOKEN = 4;

interface Notes {
  readonly projectDir: string;
  readonly items: Map<Step, number>;
  readonly leastTokens: Record<string, number>;
  readonly programs: Set<string>;
  readonly problems: string[];
}

export function forecastSteps(plan: Plan, known: Known, projectDir: string): Forecast {
  const notes: Notes = { projectDir, items: new Map(), leastTokens: {}, programs: new Set(), problems: [] };
  return { ...notes, steps: forecastList(plan.steps, [known], true, notes) };
}

/**
 * @param places what is known, for each of the items that are shown; at least one
 * @param isSure these steps run whatever the run's values are
 */
function forecastList(steps: readonly Step[], places: readonly Known[], isSure: boolean, notes: Notes): DryStep[] {
  let here = places;
  let sure = isSure;
  return steps.map((step) => {
    const dry = forecastStep(step, here, sure, notes);
    here = here.map((known) => afterStep(step, known));
    if (kindOf(step) === 'end' && dry.when?.holds !== false) sure = false;
    return dry;
  });
}

function forecastStep(step: Step, places: readonly Known[], isSure: boolean, notes: Notes): DryStep {
  const [first] = places;
  const when = step.when && first ? { source: step.when.source, ...holdsOf(step, places) } : undefined;
  const sure = isSure && (when === undefined || when.holds === true);
  const isSkipped = when?.holds === false;
  const inside = insideLoops(step, places, !isSkipped, notes);
  const items = notes.items.get(step);
  if (isSkipped) notes.items.set(step, 0);
  const leaf = step.body.type === 'leaf' ? step.body : undefined;
  const texts = textsOf(step, inside);
  if (!isSkipped) noteLeaf(step, texts, sure, items, notes);
  const held = heldSteps(step, inside, sure && items !== 0, isSkipped ? withoutEffect(notes) : notes);
  const { id, title, after, foreach, repeat, retry, timeoutMs, idleTimeoutMs, limits, onError, effect } = step;
  return {
    id,
    title,
    kind: kindOf(step),
    after,
    ...(when ? { when } : {}),
    ...(foreach
      ? {
          foreach: {
            over: overText(foreach.over),
            maxItems: foreach.maxItems,
            ...(items === undefined ? {} : { items }),
          },
        }
      : {}),
    ...(repeat ? { repeat: { until: repeat.until.source, max: repeat.max, onMax: repeat.onMax } } : {}),
    attempts: retry.attempts,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    limits,
    onError,
    effect,
    models: leaf?.inspection.models ?? [],
    tools: leaf?.inspection.tools ?? [],
    calls: worstCalls(step, (one) => notes.items.get(one)),
    texts,
    ...(step.output ? { output: step.output.source } : {}),
    saves: step.save.map(({ path }) => sourceOf(path)),
    artifacts: step.artifacts,
    ...(held ? { steps: held } : {}),
  };
}

/** For what stands in a step that is skipped: it starts nothing. */
function withoutEffect(notes: Notes): Notes {
  return { ...notes, leastTokens: {}, programs: new Set(), problems: [] };
}

/** Over all places that are shown: true or false only where they agree. */
function holdsOf({ when }: Step, places: readonly Known[]): { readonly holds?: boolean } {
  if (!when) return {};
  const values = places.map((known) => foreseeCondition(when, known));
  const holds = values.map((value) => (value.type === 'value' ? value.value === true : undefined));
  const [first] = holds;
  return first !== undefined && holds.every((one) => one === first) ? { holds: first } : {};
}

/** What is known inside the step's own loops, for the first of its items. */
function insideLoops(step: Step, places: readonly Known[], runs: boolean, notes: Notes): readonly Known[] {
  const { foreach } = step;
  if (!foreach) return places;
  const lists = places.map((known) => itemsAt(step, foreach.over, known, runs, notes));
  const counts = new Set(lists.map((list) => list.count));
  const [count] = counts;
  if (counts.size === 1 && count !== undefined) notes.items.set(step, count);
  return lists.flatMap(({ inside }) => inside).slice(0, SAMPLES);
}

interface Items {
  readonly count: number | undefined;
  readonly inside: readonly Known[];
}

/** A list that is written in YAML has a known length, also where its items are not yet known. */
function itemsAt({ id, foreach }: Step, over: Template, known: Known, runs: boolean, notes: Notes): Items {
  const outside = [withoutItem(known)];
  if (over.type === 'list') {
    const inside = over.items.slice(0, SAMPLES).map((template, index) => {
      const item = foresee(template, known);
      return item.type === 'value' ? withItem(known, id, item.value, index) : { ...withoutItem(known), index };
    });
    return { count: over.items.length, inside: inside.length > 0 ? inside : outside };
  }
  const list = foresee(over, known);
  if (list.type === 'fails' && runs) notes.problems.push(`${id}: ${list.message}`);
  if (list.type !== 'value' || !Array.isArray(list.value)) return { count: undefined, inside: outside };
  const values = list.value as readonly Json[];
  const most = foreach?.maxItems ?? values.length;
  if (values.length > most && runs) notes.problems.push(`${id}: it has ${values.length} items; max_items is ${most}`);
  const inside = values.slice(0, SAMPLES).map((item, index) => withItem(known, id, item, index));
  return { count: values.length, inside: inside.length > 0 ? inside : outside };
}

function heldSteps(step: Step, inside: readonly Known[], isSure: boolean, notes: Notes): DryStep[] | undefined {
  const { body } = step;
  switch (body.type) {
    case 'leaf':
      return undefined;
    case 'group':
      return forecastList(stepsIn(step), inside, isSure, notes);
    case 'child': {
      const places = inside.map((known) => childRoots(body.plan, body.config, known, notes));
      return forecastList(stepsIn(step), places, isSure, notes);
    }
  }
}

function childRoots(plan: Plan, config: Template, known: Known, { projectDir }: Notes): Known {
  const given = foresee(config, known);
  if (given.type !== 'value' || !isObject(given.value)) return rootsOf(plan, undefined, undefined, projectDir);
  const { query = known.query, inputs = {} } = given.value;
  const properties = isObject(plan.inputs.properties) ? plan.inputs.properties : {};
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) && schema.default !== undefined ? [[name, schema.default] as const] : [],
  );
  const values: JsonObject = { ...Object.fromEntries(defaults), ...(isObject(inputs) ? inputs : {}) };
  const asked = typeof query === 'string' ? query : query === undefined ? undefined : JSON.stringify(query);
  return rootsOf(plan, asked, values, projectDir);
}

/** A skipped step is null for those after it; `set` is computed by expressions alone. */
function afterStep(step: Step, known: Known): Known {
  const { id, body, when, foreach, repeat } = step;
  const condition = when && foreseeCondition(when, known);
  if (condition && condition.type !== 'value') return known;
  if (condition && condition.value !== true)
    return withStep(known, id, { output: null, status: 'skipped', error: null, failures: [] });
  if (kindOf(step) !== 'set' || body.type !== 'leaf' || foreach || repeat) return known;
  const value = foresee(body.config, known);
  if (value.type !== 'value') return known;
  return withStep(known, id, { output: value.value, status: 'done', error: null, failures: [] });
}

function noteLeaf(
  step: Step,
  texts: readonly DryText[],
  isSure: boolean,
  items: number | undefined,
  { programs, leastTokens }: Notes,
): void {
  if (step.body.type !== 'leaf') return;
  const { tools, models } = step.body.inspection;
  for (const tool of tools) if (/^shell\b/.test(tool)) programs.add(tool);
  for (const { key, program } of texts) {
    if (key === 'run') programs.add('bash');
    else if (program !== undefined) programs.add(program);
  }
  const [model] = models;
  if (model === undefined || !isSure) return;
  const characters = texts.reduce((sum, { characters }) => sum + characters, 0) * (step.foreach ? (items ?? 0) : 1);
  leastTokens[model] = (leastTokens[model] ?? 0) + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
