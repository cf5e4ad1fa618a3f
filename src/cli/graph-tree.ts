/** A graph as the tree that a terminal shows. */
import { columnsOf, cutTo } from '../core/columns.js';
import { plainText } from '../core/plain-text.js';
import type { Graph, GraphNode, NodeStatus } from '../graph/graph.js';
import { MARKS } from '../graph/labels.js';
import { type TreeRow, treeRows } from '../graph/tree.js';

export interface TreeScreen {
  /** Longer lines are cut; undefined where nobody looks at it. */
  readonly columns: number | undefined;
  readonly color: boolean;
}

const COLORS: Readonly<Record<NodeStatus, string>> = {
  running: '34',
  done: '32',
  reused: '36',
  skipped: '2',
  failed: '31',
  ended: '33',
  waiting: '35',
  stopped: '33',
  interrupted: '31',
};

/** One row a step: how it ended, where it stands, what it is, what to know of it. */
export function treeText(graph: Graph, { columns, color }: TreeScreen): string {
  const rows = treeRows(graph);
  const hasRun = graph.nodes.some(({ status }) => status !== undefined);
  const nameColumns = Math.max(0, ...rows.map((row) => columnsOf(nameOf(row))));
  const kindColumns = Math.max(0, ...rows.map(({ kind }) => columnsOf(kind)));
  const paint = (code: string, text: string) => (color && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines = rows.map((row) => {
    const { node, rail, kind, notes } = row;
    const name = `${node.id}${' '.repeat(nameColumns - columnsOf(nameOf(row)))}`;
    const before = `${hasRun ? '  ' : ''}${rail}${name}  `;
    const room = columns === undefined ? undefined : Math.max(0, columns - columnsOf(before) - kindColumns - 2);
    const said = cutText(notes.map(plainText).join(' · '), room);
    const tone = node.status ? COLORS[node.status] : '0';
    const kindText = said === '' ? kind : `${kind}${' '.repeat(kindColumns - columnsOf(kind))}  `;
    const whole = `${markOf(node, hasRun, paint)}${paint('2', rail)}${paint(tone, name)}  ${paint('36', kindText)}${said}`;
    return whole.trimEnd();
  });
  return [paint('1', plainText(graph.name)), ...lines].join('\n');
}

function nameOf({ rail, node }: TreeRow): string {
  return rail + node.id;
}

function cutText(text: string, room: number | undefined): string {
  if (room === undefined) return text;
  return room < 6 ? '' : cutTo(text, room);
}

function markOf(node: GraphNode, hasRun: boolean, paint: (code: string, text: string) => string): string {
  if (!hasRun) return '';
  return node.status ? `${paint(COLORS[node.status], MARKS[node.status])} ` : '  ';
}
