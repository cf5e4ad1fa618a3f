/** Puts what became of each step of a run onto the nodes of its plan. */
import { idsOf } from '../core/step-path.js';
import type { Graph, GraphNode, NodeStatus } from './graph.js';

/** What is known of a step's path, such as `rounds/2/audit`. */
export interface StepStatus {
  readonly path: string;
  readonly status: NodeStatus;
}

export interface Marked {
  readonly graph: Graph;
  /** Paths of steps that the plan no longer has. */
  readonly gone: readonly string[];
}

/** @param steps in the order in which they began */
export function withStatus(graph: Graph, steps: readonly StepStatus[]): Marked {
  const byNode = new Map<string, StepStatus[]>();
  for (const step of steps) {
    const path = idsOf(step.path);
    byNode.set(path, [...(byNode.get(path) ?? []), step]);
  }
  const planned = new Set(graph.nodes.map(({ path }) => path));
  const nodes = graph.nodes.map((node) => ({ ...node, ...statusOf(node, byNode, graph) }));
  return { graph: { ...graph, nodes }, gone: [...byNode.keys()].filter((path) => !planned.has(path)) };
}

/** Of many steps that are shown as one: the first of these that any of them has. */
export const LOUDEST: readonly NodeStatus[] = [
  'running',
  'waiting',
  'failed',
  'interrupted',
  'stopped',
  'ended',
  'done',
  'reused',
  'skipped',
];

function statusOf(
  node: GraphNode,
  byNode: ReadonlyMap<string, readonly StepStatus[]>,
  graph: Graph,
): Pick<GraphNode, 'status' | 'counts'> {
  const all = byNode.get(node.path) ?? [];
  const own = all.find(({ path }) => path === node.path);
  const parts = all.filter((step) => step !== own);
  const loudest = LOUDEST.find((status) => all.some((step) => step.status === status));
  const status = own?.status ?? loudest;
  if (status === undefined) return {};
  const reused = status === 'done' && isReused(node, parts, byNode, graph);
  return { status: reused ? 'reused' : status, ...(parts.length > 1 ? { counts: countsOf(parts) } : {}) };
}

/** A loop or a group is told as reused when nothing in it ran again. */
function isReused(
  node: GraphNode,
  parts: readonly StepStatus[],
  byNode: ReadonlyMap<string, readonly StepStatus[]>,
  graph: Graph,
): boolean {
  const isQuiet = ({ status }: StepStatus) => status === 'reused' || status === 'skipped';
  const holds = graph.nodes.filter(({ parent }) => parent === node.path);
  if (holds.length === 0) return parts.length > 0 && parts.every(isQuiet);
  const below = holds.map((inner) => ({ inner, steps: byNode.get(inner.path) ?? [] }));
  const some = below.some(({ steps }) => steps.length > 0);
  return some && below.every(({ inner, steps }) => steps.every(isQuiet) || isReused(inner, steps, byNode, graph));
}

function countsOf(parts: readonly StepStatus[]): Partial<Record<NodeStatus, number>> {
  const counts: Partial<Record<NodeStatus, number>> = {};
  for (const { status } of parts) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
