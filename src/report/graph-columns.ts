/** Breaks a drawing that is tall into columns side by side, where the plan narrows to few lines. */
import type { Box, Drawing, Line } from './graph-layout.js';
import type { Point } from './graph-rows.js';

/** Lengths in pixels. */
const FAIR_HEIGHT = 260;
const MOST_WIDTH = 1_060;
const GUTTER = 56;
/** Above the first row, for the line that comes from the column before. */
const LEAD = 16;
const MOST_COLUMNS = 4;
const MOST_CROSSING = 3;

/** The rows that an edge leads from and to. */
export interface RankedEdge {
  readonly from: number;
  readonly to: number;
}

/** @param edges in the order of the drawing's lines */
export function inColumns(drawing: Drawing, edges: readonly RankedEdge[]): Drawing {
  const { boxes, width, height } = drawing;
  const most = Math.min(MOST_COLUMNS, Math.floor((MOST_WIDTH + GUTTER) / (width + GUTTER)));
  const wanted = Math.min(most, Math.ceil(height / FAIR_HEIGHT));
  if (wanted < 2) return drawing;
  const columnOf = columnsOf(boxes, edges, height / wanted, wanted);
  const count = Math.max(...columnOf) + 1;
  if (count < 2) return drawing;
  const placed = placedColumns(drawing, edges, columnOf, count);
  return {
    width: placed.width,
    height: placed.height,
    boxes: boxes.map((box) => {
      const { x, y } = placed.moved(columnOf[box.row] ?? 0, box);
      return { ...box, x, y };
    }),
    lines: drawing.lines.map((line, at) => movedLine(line, edges[at], columnOf, placed)),
  };
}

/** By row. */
function columnsOf(boxes: readonly Box[], edges: readonly RankedEdge[], target: number, wanted: number): number[] {
  const bottoms: number[] = [];
  for (const { row, y, height } of boxes) bottoms[row] = Math.max(bottoms[row] ?? 0, y + height);
  const columns: number[] = [];
  let column = 0;
  let top = 0;
  for (const [row, bottom] of bottoms.entries()) {
    columns[row] = column;
    const crossing = edges.filter(({ from, to }) => from <= row && to > row);
    const isNarrow =
      crossing.length <= MOST_CROSSING && crossing.every(({ from, to }) => from === row && to === row + 1);
    if (!isNarrow || column >= wanted - 1 || bottom - top < target * 0.8) continue;
    column++;
    top = bottom;
  }
  return columns;
}

interface Columns {
  readonly width: number;
  readonly height: number;
  moved(column: number, point: Point): Point;
  /** Between this column and the next. */
  gutterAfter(column: number): number;
}

function placedColumns(
  { boxes, lines }: Drawing,
  edges: readonly RankedEdge[],
  columnOf: readonly number[],
  count: number,
): Columns {
  const ranges = Array.from({ length: count }, () => ({ left: Infinity, right: 0, top: Infinity, bottom: 0 }));
  const take = (column: number, { x, y }: Point) => {
    const range = ranges[column];
    if (!range) return;
    range.left = Math.min(range.left, x);
    range.right = Math.max(range.right, x);
    range.top = Math.min(range.top, y);
    range.bottom = Math.max(range.bottom, y);
  };
  for (const { row, x, y, width, height } of boxes) {
    take(columnOf[row] ?? 0, { x, y });
    take(columnOf[row] ?? 0, { x: x + width, y: y + height });
  }
  for (const [at, { points }] of lines.entries()) {
    const { from = 0, to = 0 } = edges[at] ?? {};
    if (columnOf[from] === columnOf[to]) for (const point of points) take(columnOf[from] ?? 0, point);
  }
  const starts: number[] = [];
  let width = GUTTER / 4;
  for (const { left, right } of ranges) {
    starts.push(width);
    width += right - left + GUTTER;
  }
  return {
    width: width - GUTTER * 0.75,
    height: Math.max(...ranges.map(({ top, bottom }) => bottom - top)) + 2 * LEAD,
    moved(column, { x, y }) {
      const { left, top } = ranges[column] ?? { left: 0, top: 0 };
      return { x: x - left + (starts[column] ?? 0), y: y - top + LEAD };
    },
    gutterAfter: (column) => (starts[column + 1] ?? 0) - GUTTER / 2,
  };
}

function movedLine(line: Line, edge: RankedEdge | undefined, columnOf: readonly number[], columns: Columns): Line {
  const [from, to] = [columnOf[edge?.from ?? 0] ?? 0, columnOf[edge?.to ?? 0] ?? 0];
  const [first, last] = [line.points[0], line.points.at(-1)];
  if (from === to || !first || !last)
    return { ...line, points: line.points.map((point) => columns.moved(from, point)) };
  const [start, end] = [columns.moved(from, first), columns.moved(to, last)];
  const x = columns.gutterAfter(from);
  const [low, high] = [start.y + LEAD / 2, end.y - LEAD * 0.7];
  return {
    ...line,
    points: [start, { x: start.x, y: low }, { x, y: low }, { x, y: high }, { x: end.x, y: high }, end],
  };
}
