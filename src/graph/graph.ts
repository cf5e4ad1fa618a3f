/** A plan as nodes with edges: what is drawn, printed or handed on as JSON. */
import type { JsonObject } from '../core/json.js';
import { kindOf, type Plan, type Step, stepsIn } from '../core/plan.js';
import { directNeeds } from './direct-needs.js';
import { itemsKnown, literalAt, overText } from './written.js';

export interface Graph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  /** Without those that others imply; `after` of a node has them all. */
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** Ids from the outermost step inwards, with `/`: a step's path without its items and rounds. */
  readonly path: string;
  readonly id: string;
  readonly title: string;
  /** `agent`, `shell`, …; `steps` for a group, `pipeline` for another skill. */
  readonly kind: string;
  /** Path of the group or skill around it. */
  readonly parent?: string;
  /** Paths of all steps that must settle first. */
  readonly after: readonly string[];
  readonly when?: string;
  readonly foreach?: { readonly over: string; readonly maxItems: number; readonly items?: number };
  readonly repeat?: { readonly until: string; readonly max: number };
  readonly attempts?: number;
  /** A role or `provider/model-id`, where it is not `default`. */
  readonly model?: string;
  readonly tools: readonly string[];
  /** Of a pipeline step. */
  readonly skill?: string;
  /** Of an end: as what the run ends. */
  readonly end?: { readonly outcome: string; readonly status: string };
  /** Of a run. */
  readonly status?: NodeStatus;
  /** How many items or rounds of it the run has, by status. */
  readonly counts?: Readonly<Partial<Record<NodeStatus, number>>>;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** The condition of the step it leads to. */
  readonly when?: string;
}

export type NodeStatus =
  | 'running'
  | 'done'
  | 'reused'
  | 'skipped'
  | 'failed'
  | 'ended'
  | 'waiting'
  | 'stopped'
  | 'interrupted';

export function graphOf({ name, steps }: Plan): Graph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  addList(steps, undefined, nodes, edges);
  return { name, nodes, edges };
}

function addList(steps: readonly Step[], parent: string | undefined, nodes: GraphNode[], edges: GraphEdge[]): void {
  const pathOf = (id: string) => (parent === undefined ? id : `${parent}/${id}`);
  const direct = directNeeds(steps);
  for (const step of steps) {
    const path = pathOf(step.id);
    nodes.push({ ...nodeOf(step, path, step.after.map(pathOf)), ...(parent === undefined ? {} : { parent }) });
    for (const id of direct.get(step.id) ?? [])
      edges.push({ from: pathOf(id), to: path, ...(step.when ? { when: step.when.source } : {}) });
    addList(stepsIn(step), path, nodes, edges);
  }
}

function nodeOf(step: Step, path: string, after: readonly string[]): GraphNode {
  const { id, title, when, foreach, repeat, retry } = step;
  return {
    path,
    id,
    title,
    kind: kindOf(step),
    after,
    ...(when ? { when: when.source } : {}),
    ...(foreach ? { foreach: { over: overText(foreach.over), maxItems: foreach.maxItems, ...countOf(step) } } : {}),
    ...(repeat ? { repeat: { until: repeat.until.source, max: repeat.max } } : {}),
    ...(retry.attempts > 1 ? { attempts: retry.attempts } : {}),
    ...ofBody(step),
  };
}

function countOf({ foreach }: Step): { readonly items?: number } {
  const items = foreach && itemsKnown(foreach.over);
  return items === undefined ? {} : { items };
}

function ofBody({ body }: Step): Pick<GraphNode, 'model' | 'tools' | 'skill' | 'end'> {
  switch (body.type) {
    case 'leaf': {
      const { tools, models } = body.inspection;
      const model = models.find((name) => name !== 'default');
      return { tools, ...(model === undefined ? {} : { model }), ...endOf(body.kind.name, body.config) };
    }
    case 'group':
      return { tools: [] };
    case 'child':
      return { tools: [], skill: body.plan.name };
  }
}

function endOf(
  kind: string,
  config: Parameters<typeof literalAt>[0],
): { readonly end?: GraphNode['end'] & JsonObject } {
  if (kind !== 'end') return {};
  return { end: { outcome: literalAt(config, 'outcome') ?? 'end', status: literalAt(config, 'status') ?? 'done' } };
}
