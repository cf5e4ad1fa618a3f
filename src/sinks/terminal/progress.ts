/** What is known of a run while it runs: its open steps, groups and loops, folded from its events. What has settled is forgotten. */
import { cutTo } from '../../core/columns.js';
import type { Recorded, UsageTotal } from '../../core/events.js';
import type { Delta, Usage } from '../../core/model.js';
import type { StepPath } from '../../core/outcome.js';
import { plainText } from '../../core/plain-text.js';
import { type Limits, type Plan, type Step, stepsIn } from '../../core/plan.js';
import { idsOf } from '../../core/step-path.js';
import { type Figures, NO_FIGURES, parentOf } from './told.js';

/** The figures grow while it is open. */
interface Open {
  readonly since: number;
  title: string;
  figures: Figures;
}

export interface OpenStep extends Open {
  /** The current tool; '' for none, or since the model speaks. */
  tool: string;
  /** The end of what the model says; '' since it called a tool. */
  words: string;
}

/** A group, an item that has steps, a round, a loop over rounds. */
export interface OpenGroup extends Open {
  /** Of steps that failed in it, the last ones. */
  readonly failures: string[];
  /** Steps in it that have settled. */
  settled: number;
  /** Of a loop over rounds: which one runs. */
  round?: number;
}

export interface OpenItems extends Open {
  readonly count: number;
  settled: number;
  reused: number;
  readonly failed: Set<StepPath>;
  /** When the first one began that was not reused. */
  begunAt?: number;
}

export interface Progress {
  /** Told by the program around it; undefined where it does not tell. */
  plan: Plan | undefined;
  limits: Partial<Limits>;
  /** Ids of the plan's top-level steps, for widths. */
  ids: readonly string[];
  /** Of the steps in them, each as far to the right as it stands below. */
  innerNames: readonly string[];
  readonly steps: Map<StepPath, OpenStep>;
  readonly groups: Map<StepPath, OpenGroup>;
  readonly items: Map<StepPath, OpenItems>;
  /** Ids of steps and groups that began or settled, in the present round of what is around them. */
  readonly seen: Set<string>;
  /** Said to be stopped: that an end skipped them need not be said as well. */
  readonly stopped: Set<StepPath>;
  /** Steps that say how a run ends which a script drives: nobody wrote them. */
  readonly endings: Set<string>;
  since: number | undefined;
  isOver: boolean;
  /** Of all sessions. */
  tokens: number;
  /** What calls count as whose server did not say what they used; of this session. */
  estimatedTokens: number;
  usd: number;
  /** Steps without groups and loops. */
  settled: number;
  failed: number;
}

export function newProgress(): Progress {
  return {
    plan: undefined,
    limits: {},
    ids: [],
    innerNames: [],
    steps: new Map(),
    groups: new Map(),
    items: new Map(),
    seen: new Set(),
    stopped: new Set(),
    endings: new Set(),
    since: undefined,
    isOver: false,
    tokens: 0,
    estimatedTokens: 0,
    usd: 0,
    settled: 0,
    failed: 0,
  };
}

/** @param used by earlier sessions */
export function expectPlan(progress: Progress, plan: Plan, used: UsageTotal): void {
  progress.plan = plan;
  progress.limits = plan.limits;
  progress.innerNames = plan.steps.flatMap((step) => namesIn(step, '  '));
  progress.tokens += used.inputTokens + used.outputTokens;
  progress.usd += used.usd;
}

function namesIn(step: Step, indent: string): string[] {
  return stepsIn(step).flatMap((inner) => [`${indent}${inner.id}`, ...namesIn(inner, `${indent}  `)]);
}

const MOST_FAILURES = 50;
const MOST_SUBJECT_COLUMNS = 60;
const MOST_WORDS = 400;

export function begin(progress: Progress, event: Extract<Recorded, { type: 'step_started' }>): void {
  const { path, key, title, because, at } = event;
  const ids = idsOf(path);
  progress.stopped.delete(path);
  progress.seen.add(ids);
  const around = progress.items.get(parentOf(path));
  const since = Date.parse(at);
  if (around) around.begunAt ??= since;
  if (around?.failed.delete(path)) around.settled--;
  const open = { since, title: plainText(title) };
  if (key === '') {
    for (const one of progress.seen) if (one.startsWith(`${ids}/`)) progress.seen.delete(one);
    progress.groups.set(path, { ...open, figures: NO_FIGURES, failures: [], settled: 0 });
    return;
  }
  const figures = { ...NO_FIGURES, because: plainText(because) };
  progress.steps.set(path, { ...open, figures, tool: '', words: '' });
}

export function beginLoop(progress: Progress, event: Extract<Recorded, { type: 'loop' }>): void {
  const { path, of, count, at } = event;
  progress.seen.add(idsOf(path));
  const open = { since: Date.parse(at), title: '', figures: NO_FIGURES };
  if (of === 'items') progress.items.set(path, { ...open, count, settled: 0, reused: 0, failed: new Set() });
  else {
    const group = progress.groups.get(path) ?? { ...open, failures: [], settled: 0 };
    group.round = count;
    progress.groups.set(path, group);
  }
}

/** What a call used, or is taken to have used. */
interface Use {
  readonly usage?: Usage;
  readonly estimatedTokens?: number;
  readonly usd?: number;
}

/** Adds to a step, and to all that is around it. */
export function addUse(progress: Progress, path: StepPath, { usage, estimatedTokens = 0, usd = 0 }: Use): void {
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  progress.tokens += tokens;
  progress.usd += usd;
  if (!usage) progress.estimatedTokens += estimatedTokens;
  for (let at = path; at !== ''; at = parentOf(at)) {
    for (const open of [progress.steps.get(at), progress.groups.get(at), progress.items.get(at)]) {
      if (open) open.figures = { ...open.figures, tokens: open.figures.tokens + tokens, usd: open.figures.usd + usd };
    }
  }
}

export function set(step: OpenStep, figures: Partial<Figures>): void {
  step.figures = { ...step.figures, ...figures };
}

export function setSubject(step: OpenStep, text: string): void {
  set(step, { subject: cutTo(plainText(text), MOST_SUBJECT_COLUMNS) });
}

/** `other`: skipped, stopped, waiting, or it ended the run. */
export type Became = 'done' | 'reused' | 'failed' | 'other';

/** It is forgotten; what it came to stays in the counts. */
export function settle(progress: Progress, path: StepPath, became: Became): void {
  const isLeaf = !progress.groups.has(path) && !progress.items.has(path);
  progress.steps.delete(path);
  progress.groups.delete(path);
  progress.items.delete(path);
  progress.seen.add(idsOf(path));
  if (isLeaf) {
    progress.settled++;
    if (became === 'failed') progress.failed++;
    const group = groupAround(progress, path);
    if (group) group.settled++;
  }
  const items = progress.items.get(parentOf(path));
  if (!items) return;
  items.settled++;
  if (became === 'reused') items.reused++;
  if (became === 'done' || became === 'reused') items.failed.delete(path);
  if (became === 'failed') items.failed.add(path);
}

function groupAround({ groups }: Progress, path: StepPath): OpenGroup | undefined {
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
    const group = groups.get(at);
    if (group) return group;
  }
  return undefined;
}

/** Every group around it may fail with this message. */
export function rememberFailure({ groups }: Progress, path: StepPath, message: string): void {
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
    const failures = groups.get(at)?.failures;
    failures?.push(message);
    if (failures && failures.length > MOST_FAILURES) failures.shift();
  }
}

/** A group fails with the message of the step that failed in it, unless its own result or assert does not hold. */
export function wasSaid({ groups }: Progress, path: StepPath, message: string): boolean {
  return groups.get(path)?.failures.some((said) => message.endsWith(said)) === true;
}

/** The innermost loop over items that it stands in. */
export function itemsAround({ items }: Progress, path: StepPath): OpenItems | undefined {
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
    const loop = items.get(at);
    if (loop) return loop;
  }
  return undefined;
}

export function hear(progress: Progress, path: StepPath, { text }: Delta): void {
  const step = progress.steps.get(path);
  if (!step) return;
  step.words = `${step.words}${text}`.slice(-MOST_WORDS);
  step.tool = '';
}

/** The last line that is not empty. */
export function lastLine(words: string): string {
  return plainText(words.trimEnd().split('\n').at(-1) ?? '').trim();
}
