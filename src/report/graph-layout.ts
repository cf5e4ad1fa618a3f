/** Where the boxes of the report's drawing stand: rows by what each waits for. Simpler than `pipeline graph` draws, and a hundred times as quick: a report is made at the end of every run. */
import { cutTo } from '../core/columns.js';
import { oneLine } from '../core/plain-text.js';
import type { Graph, GraphNode } from '../graph/graph.js';
import { countsLabel, kindLabel, titleOf } from '../graph/labels.js';
import { inColumns, type RankedEdge } from './graph-columns.js';
import { type Point, rowsOf } from './graph-rows.js';

/** Lengths in pixels. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export interface Box {
  readonly node: GraphNode;
  /** From the top, from 0. */
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  readonly notes: readonly string[];
  /** Of a group, below its texts. */
  readonly inner?: Drawing;
}

export interface Line {
  readonly points: readonly Point[];
  /** It leads to a step with a condition. */
  readonly isConditional: boolean;
}

export const NAME_HEIGHT = 20;
export const NOTE_HEIGHT = 15;
export const PADDING = 10;
const MARK_WIDTH = 20;
const NAME_COLUMN = 7.6;
const NOTE_COLUMN = 6.3;
const MOST_COLUMNS = 30;
const GAP_BESIDE = 16;
const GAP_BELOW = 26;
const MARGIN = 10;

export function laidOut(graph: Graph): Drawing {
  const { drawing, edges } = listOf(graph, undefined);
  return inColumns(drawing, edges);
}

interface Listed {
  readonly drawing: Drawing;
  readonly edges: readonly RankedEdge[];
}

function listOf(graph: Graph, parent: string | undefined): Listed {
  const boxes = graph.nodes.filter((node) => node.parent === parent).map((node) => boxOf(graph, node));
  const paths = new Map(boxes.map(({ node }, at) => [node.path, at]));
  const edges = graph.edges.flatMap(({ from, to, when }) => {
    const [start, end] = [paths.get(from), paths.get(to)];
    return start === undefined || end === undefined
      ? []
      : [{ from: start, to: end, isConditional: when !== undefined }];
  });
  const gap = { beside: GAP_BESIDE, below: GAP_BELOW };
  const { ranks, centers, tops, width, height, lines } = rowsOf(boxes, edges, gap);
  const drawing = {
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    boxes: boxes.map((box, at) => ({
      ...box,
      row: ranks[at] ?? 0,
      x: (centers[at] ?? 0) - box.width / 2 + MARGIN,
      y: (tops[at] ?? 0) + MARGIN,
    })),
    lines: lines.map((points, at) => ({
      points: points.map(({ x, y }) => ({ x: x + MARGIN, y: y + MARGIN })),
      isConditional: edges[at]?.isConditional ?? false,
    })),
  };
  return { drawing, edges: edges.map(({ from, to }) => ({ from: ranks[from] ?? 0, to: ranks[to] ?? 0 })) };
}

/** Nearly enough for a box: to measure as a terminal does takes longer than all else here. */
function nearlyColumnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 1.8;
  return columns;
}

function boxOf(graph: Graph, node: GraphNode): Box {
  const name = cutTo(oneLine(node.id), MOST_COLUMNS, nearlyColumnsOf);
  const notes = [countsLabel(node) ?? kindLabel(node), titleOf(node) ?? '']
    .filter((text) => text !== '')
    .map((text) => cutTo(text, MOST_COLUMNS + 6, nearlyColumnsOf));
  const isGroup = graph.nodes.some(({ parent }) => parent === node.path);
  const inner = isGroup ? listOf(graph, node.path).drawing : undefined;
  const textWidth = Math.max(
    nearlyColumnsOf(name) * NAME_COLUMN + MARK_WIDTH,
    ...notes.map((text) => nearlyColumnsOf(text) * NOTE_COLUMN),
  );
  const textHeight = NAME_HEIGHT + notes.length * NOTE_HEIGHT + 2 * PADDING - 6;
  return {
    node,
    row: 0,
    x: 0,
    y: 0,
    width: Math.ceil(Math.max(textWidth + 2 * PADDING, inner?.width ?? 0)),
    height: Math.ceil(textHeight + (inner?.height ?? 0)),
    name,
    notes,
    ...(inner ? { inner } : {}),
  };
}
