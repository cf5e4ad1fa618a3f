/** A graph as the rows of an indented tree: in the order of the file, with what each waits for where that is not the row above. */

import { oneLine } from '../core/plain-text.js';
import type { Graph, GraphNode } from './graph.js';
import { countsLabel, kindLabel, titleOf } from './labels.js';

export interface TreeRow {
  readonly node: GraphNode;
  /** The lines that lead to it, e.g. `│  ├─ `. */
  readonly rail: string;
  readonly kind: string;
  /** Title, condition, needs. */
  readonly notes: readonly string[];
}

export function treeRows(graph: Graph): TreeRow[] {
  const inside = new Map<string | undefined, GraphNode[]>();
  for (const node of graph.nodes) inside.set(node.parent, [...(inside.get(node.parent) ?? []), node]);
  const direct = new Map<string, string[]>();
  for (const { from, to } of graph.edges) direct.set(to, [...(direct.get(to) ?? []), from]);
  const rows: TreeRow[] = [];
  const addList = (parent: string | undefined, rail: string): void => {
    const list = inside.get(parent) ?? [];
    for (const [at, node] of list.entries()) {
      const isLast = at === list.length - 1;
      const notes = notesOf(node, list[at - 1], direct.get(node.path) ?? []);
      rows.push({ node, rail: `${rail}${isLast ? '└─ ' : '├─ '}`, kind: kindLabel(node), notes });
      addList(node.path, `${rail}${isLast ? '   ' : '│  '}`);
    }
  };
  addList(undefined, '');
  return rows;
}

function notesOf(node: GraphNode, above: GraphNode | undefined, needs: readonly string[]): string[] {
  const title = titleOf(node);
  const counts = countsLabel(node);
  const order = orderNote(above, needs);
  return [
    ...(counts === undefined ? [] : [counts]),
    ...(title === undefined ? [] : [title]),
    ...(node.when === undefined ? [] : [`when ${oneLine(node.when)}`]),
    ...(order === undefined ? [] : [order]),
    ...(node.repeat ? [`until ${oneLine(node.repeat.until)}`] : []),
    ...(node.foreach && node.foreach.items === undefined ? [`each of ${oneLine(node.foreach.over)}`] : []),
    ...(node.model === undefined ? [] : [`model ${oneLine(node.model)}`]),
    ...(node.tools.length === 0 ? [] : [`tools ${oneLine(node.tools.join(', '))}`]),
    ...(node.attempts === undefined ? [] : [`${node.attempts} attempts`]),
  ];
}

/** Nothing where it waits for the row above, as steps do unless told otherwise. */
function orderNote(above: GraphNode | undefined, needs: readonly string[]): string | undefined {
  if (!above) return undefined;
  if (needs.length === 0) return 'starts at once';
  if (needs.length === 1 && needs[0] === above.path) return undefined;
  return `after ${needs.map((path) => path.split('/').at(-1)).join(', ')}`;
}
