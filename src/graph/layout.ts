/** Where the boxes and lines of a drawing stand: each list of steps is laid out on its own, then stands as one box in the list around it. */

import { columnsOf, cutTo } from '../core/columns.js';
import { oneLine } from '../core/plain-text.js';
import type { Graph, GraphNode } from './graph.js';
import { countsLabel, kindLabel, titleOf } from './labels.js';

/** Lengths in pixels. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export interface Box {
  readonly node: GraphNode;
  /** Of its upper left corner, within its drawing. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly texts: readonly string[];
  /** Of a group, below its texts. */
  readonly inner?: Drawing;
}

export interface Line {
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly label?: { readonly text: string; readonly full: string; readonly x: number; readonly y: number };
}

export const TEXT_HEIGHT = 18;
export const PADDING = 12;
const COLUMN_WIDTH = 7.2;
const TITLE_COLUMNS = 38;
const LABEL_COLUMNS = 34;
/** Above so many steps in one list a layout that weighs every line would take minutes. */
const MANY_STEPS = 400;

type Dagre = typeof import('@dagrejs/dagre');

export async function layOut(graph: Graph): Promise<Drawing> {
  const { default: dagre } = await import('@dagrejs/dagre');
  return layOutList(graph, undefined, dagre as unknown as Dagre);
}

function layOutList(graph: Graph, parent: string | undefined, dagre: Dagre): Drawing {
  const nodes = graph.nodes.filter((node) => node.parent === parent);
  const paths = new Set(nodes.map(({ path }) => path));
  const sketch = new dagre.graphlib.Graph();
  const ranker = nodes.length > MANY_STEPS ? 'longest-path' : 'network-simplex';
  sketch.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 34, marginx: PADDING, marginy: PADDING, ranker });
  const boxes = new Map(nodes.map((node) => [node.path, boxOf(graph, node, dagre)]));
  for (const [path, { width, height }] of boxes) sketch.setNode(path, { width, height });
  const edges = graph.edges.filter(({ from, to }) => paths.has(from) && paths.has(to));
  for (const { from, to, when } of edges) sketch.setEdge(from, to, { labelpos: 'c', ...sizeOf(when) });
  dagre.layout(sketch);
  const { width = 0, height = 0 } = sketch.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(Math.max(width, 2 * PADDING)),
    height: Math.ceil(Math.max(height, 2 * PADDING)),
    boxes: nodes.flatMap(({ path }) => {
      const box = boxes.get(path);
      const { x = 0, y = 0 } = sketch.node(path) as { x?: number; y?: number };
      return box ? [{ ...box, x: x - box.width / 2, y: y - box.height / 2 }] : [];
    }),
    lines: edges.map(({ from, to, when }) => lineOf(sketch.edge(from, to) as Laid, when)),
  };
}

function sizeOf(when: string | undefined): { readonly width: number; readonly height: number } {
  if (when === undefined) return { width: 0, height: 0 };
  return { width: columnsOf(labelOf(when)) * COLUMN_WIDTH * 0.9 + 8, height: TEXT_HEIGHT };
}

function labelOf(when: string): string {
  return cutTo(oneLine(when), LABEL_COLUMNS);
}

interface Laid {
  readonly points?: readonly { readonly x: number; readonly y: number }[];
  readonly x?: number;
  readonly y?: number;
}

function lineOf({ points = [], x = 0, y = 0 }: Laid, when: string | undefined): Line {
  if (when === undefined) return { points };
  return { points, label: { text: labelOf(when), full: oneLine(when), x, y } };
}

function boxOf(graph: Graph, node: GraphNode, dagre: Dagre): Box {
  const texts = textsOf(node);
  const textWidth = Math.max(...texts.map(columnsOf)) * COLUMN_WIDTH + 2 * PADDING;
  const textHeight = texts.length * TEXT_HEIGHT + PADDING;
  const isGroup = graph.nodes.some(({ parent }) => parent === node.path);
  const inner = isGroup ? layOutList(graph, node.path, dagre) : undefined;
  const width = Math.ceil(Math.max(textWidth, inner?.width ?? 0));
  return { node, x: 0, y: 0, width, height: textHeight + (inner?.height ?? 0), texts, ...(inner ? { inner } : {}) };
}

function textsOf(node: GraphNode): string[] {
  const title = titleOf(node);
  const counts = countsLabel(node);
  const isFirst = node.after.length === 0;
  return [
    node.id,
    kindLabel(node),
    ...(title === undefined ? [] : [cutTo(title, TITLE_COLUMNS)]),
    ...(node.when === undefined || !isFirst ? [] : [cutTo(`when ${oneLine(node.when)}`, TITLE_COLUMNS)]),
    ...(counts === undefined ? [] : [counts]),
  ];
}
