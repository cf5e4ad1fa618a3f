/** The steps of a run as a tree: groups with their steps, loops with their items and rounds. */
import type { Recorded, UsageTotal } from '../core/events.js';
import { beginningOf } from '../core/excerpt.js';
import { isObject, type Json } from '../core/json.js';
import { oneLine } from '../core/plain-text.js';
import { idsOf } from '../core/step-path.js';
import { NO_USAGE, sumOfUsage } from '../core/usage.js';
import type { StepRecord } from '../engine/read-steps.js';
import type { Graph, GraphNode } from '../graph/graph.js';
import { LOUDEST } from '../graph/marks.js';
import type { Timeline } from './timeline.js';
import type { StepDetail, StepStatus, StepView } from './view.js';

interface Node {
  readonly path: string;
  step?: StepRecord;
  readonly below: Node[];
}

export interface TreeParts {
  readonly steps: readonly StepRecord[];
  readonly records: readonly Recorded[];
  readonly graph: Graph | undefined;
  readonly timeline: Timeline;
  readonly details: ReadonlyMap<string, StepDetail>;
}

/** In the order in which they began. What the run did not come to stands at the end. */
export function stepTree(parts: TreeParts): StepView[] {
  const roots = nodesOf(parts.steps);
  const planned = new Map((parts.graph?.nodes ?? []).map((node) => [node.path, node]));
  const loops = loopsIn(parts.records);
  const seen = new Set(roots.map(({ path }) => path));
  const missing = [...planned.values()].filter(({ path, parent }) => parent === undefined && !seen.has(path));
  const viewOf = (node: Node, parent: Node | undefined): StepView => {
    const steps = node.below.map((one) => viewOf(one, node));
    const { path, step } = node;
    const detail = parts.details.get(path) ?? NO_DETAIL;
    const counts = countsOf(steps);
    const status = step?.status ?? loudest(counts);
    const plan = planned.get(idsOf(path));
    const times = rangeOf(parts.timeline.spans[path] ?? [], steps);
    const note = noteOf(step) ?? gistOf(path, detail.output);
    return {
      path,
      ...namesOf(path, plan, parent && loops.get(parent.path)),
      status,
      ...(times.from === undefined ? {} : { began: new Date(times.from).toISOString() }),
      ...(step?.ms === undefined ? (times.ms === undefined ? {} : { ms: times.ms }) : { ms: step.ms }),
      attempts: step?.attempts.length ?? 0,
      rounds: step?.rounds ?? 0,
      usage: steps.reduce((sum: UsageTotal, one) => sumOfUsage(sum, one.usage), step?.usage ?? NO_USAGE),
      models: step?.models ?? [],
      ...(note === undefined ? {} : { note }),
      steps,
      counts,
      detail,
    };
  };
  return [...roots.map((node) => viewOf(node, undefined)), ...missing.map(unreached)];
}

const NO_DETAIL: StepDetail = { attempts: [], logs: [], files: [], told: 'whole' };

function nodesOf(steps: readonly StepRecord[]): Node[] {
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  const at = (path: string): Node => {
    const known = nodes.get(path);
    if (known) return known;
    const node: Node = { path, below: [] };
    nodes.set(path, node);
    const end = path.lastIndexOf('/');
    (end < 0 ? roots : at(path.slice(0, end)).below).push(node);
    return node;
  };
  for (const step of steps) at(step.path).step = step;
  return roots;
}

function loopsIn(records: readonly Recorded[]): Map<string, 'items' | 'rounds'> {
  const loops = new Map<string, 'items' | 'rounds'>();
  for (const event of records) if (event.type === 'loop') loops.set(event.path, event.of);
  return loops;
}

function namesOf(
  path: string,
  plan: GraphNode | undefined,
  loop: 'items' | 'rounds' | undefined,
): Pick<StepView, 'name' | 'title' | 'kind'> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/^\d+$/.test(name)) return { name, kind: loop === 'rounds' ? 'round' : 'item' };
  const title = oneLine(plan?.title ?? '');
  const more = title === '' || title.toLowerCase() === name ? {} : { title };
  return { name, kind: plan?.kind ?? '', ...more };
}

function loudest(counts: StepView['counts']): StepStatus {
  return LOUDEST.find((status) => counts[status] !== undefined) ?? 'open';
}

function countsOf(steps: readonly StepView[]): StepView['counts'] {
  const counts: Partial<Record<StepStatus, number>> = {};
  for (const { status, steps: inner, counts: below } of steps) {
    if (inner.length === 0) counts[status] = (counts[status] ?? 0) + 1;
    for (const [one, count] of Object.entries(below))
      counts[one as StepStatus] = (counts[one as StepStatus] ?? 0) + count;
  }
  return counts;
}

function rangeOf(
  spans: readonly { readonly from: number; readonly to: number }[],
  steps: readonly StepView[],
): { readonly from?: number; readonly ms?: number } {
  const [first] = spans;
  const last = spans.at(-1);
  if (first && last) return { from: first.from, ms: last.to - last.from };
  const begun = steps.flatMap(({ began, ms = 0 }) => (began === undefined ? [] : [[Date.parse(began), ms] as const]));
  if (begun.length === 0) return {};
  const from = Math.min(...begun.map(([at]) => at));
  return { from, ms: Math.max(...begun.map(([at, ms]) => at + ms)) - from };
}

function noteOf(step: StepRecord | undefined): string | undefined {
  const text = step?.fault?.message ?? step?.reason;
  return text === undefined ? undefined : oneLine(text);
}

/** Of an item: the first text of what it gave. */
function gistOf(path: string, output: Json | undefined): string | undefined {
  if (!/\/\d+$/.test(path)) return undefined;
  const texts = isObject(output) ? Object.values(output) : [output];
  const first = texts.find((one) => typeof one === 'string' && one !== '');
  return typeof first === 'string' ? oneLine(beginningOf(first, MOST_GIST)) : undefined;
}

const MOST_GIST = 120;

function unreached(plan: GraphNode): StepView {
  return {
    path: plan.path,
    ...namesOf(plan.path, plan, undefined),
    status: 'open',
    attempts: 0,
    rounds: 0,
    usage: NO_USAGE,
    models: [],
    steps: [],
    counts: {},
    detail: NO_DETAIL,
  };
}
