/** Puts boxes into rows, each below all that it waits for, with few lines that cross: longest paths, then barycentres. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Edge {
  readonly from: number;
  readonly to: number;
}

export interface Rows {
  /** Of each box, in the order given. */
  readonly ranks: readonly number[];
  readonly centers: readonly number[];
  readonly tops: readonly number[];
  readonly width: number;
  readonly height: number;
  /** Of each edge, from the bottom of a box to the top of another. */
  readonly lines: readonly (readonly Point[])[];
}

const SWEEPS = 4;
const MOVES = 8;
/** Of a place in a row that a line passes through. */
const LANE_WIDTH = 8;

/** A box, or a place where a long line passes through a row. */
interface Slot {
  readonly row: number;
  readonly width: number;
  readonly up: number[];
  readonly down: number[];
}

export function rowsOf(
  boxes: readonly Size[],
  edges: readonly Edge[],
  gap: { readonly beside: number; readonly below: number },
): Rows {
  const ranks = ranksOf(boxes.length, edges);
  const slots: Slot[] = boxes.map(({ width }, at) => ({ row: ranks[at] ?? 0, width, up: [], down: [] }));
  const chains = edges.map(({ from, to }) => chainOf(slots, from, to));
  const rows: number[][] = Array.from({ length: 1 + Math.max(0, ...slots.map(({ row }) => row)) }, () => []);
  for (const [at, { row }] of slots.entries()) rows[row]?.push(at);
  order(rows, slots);
  const centers = placed(rows, slots, gap.beside);
  const heights = rows.map((row) => Math.max(0, ...row.map((at) => boxes[at]?.height ?? 0)));
  const rowTops: number[] = [];
  let height = 0;
  for (const [at, own] of heights.entries()) {
    rowTops.push(height);
    height += own + (at < heights.length - 1 ? gap.below : 0);
  }
  const topOf = (at: number) => rowTops[slots[at]?.row ?? 0] ?? 0;
  const lines = chains.map((chain) =>
    chain.flatMap((at, place): Point[] => {
      const x = centers[at] ?? 0;
      const box = boxes[at];
      if (!box)
        return [
          { x, y: topOf(at) },
          { x, y: topOf(at) + (heights[slots[at]?.row ?? 0] ?? 0) },
        ];
      return [{ x, y: place === 0 ? topOf(at) + box.height : topOf(at) }];
    }),
  );
  const right = slots.map(({ width }, at) => (centers[at] ?? 0) + width / 2);
  return {
    ranks,
    centers: centers.slice(0, boxes.length),
    tops: boxes.map((_, at) => topOf(at)),
    width: Math.max(0, ...right),
    height,
    lines,
  };
}

/** How many stand above each at least. */
function ranksOf(count: number, edges: readonly Edge[]): number[] {
  const needs: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) needs[to]?.push(from);
  const ranks: (number | undefined)[] = [];
  const rankOf = (at: number): number => {
    const known = ranks[at];
    if (known !== undefined) return known;
    // A plan that was checked has no circle; a damaged file could.
    ranks[at] = 0;
    const rank = Math.max(0, ...(needs[at] ?? []).map((need) => rankOf(need) + 1));
    ranks[at] = rank;
    return rank;
  };
  return Array.from({ length: count }, (_, at) => rankOf(at));
}

/** Adds the places that the line passes through, and says who is whose neighbour. */
function chainOf(slots: Slot[], from: number, to: number): number[] {
  const chain = [from];
  const [first, last] = [slots[from]?.row ?? 0, slots[to]?.row ?? 0];
  for (let row = first + 1; row < last; row++) {
    chain.push(slots.length);
    slots.push({ row, width: LANE_WIDTH, up: [], down: [] });
  }
  chain.push(to);
  for (const [at, upper] of chain.slice(0, -1).entries()) {
    const lower = chain[at + 1] ?? to;
    slots[upper]?.down.push(lower);
    slots[lower]?.up.push(upper);
  }
  return chain;
}

function order(rows: number[][], slots: readonly Slot[]): void {
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const places = new Map<number, number>();
      for (const one of rows) for (const [place, at] of one.entries()) places.set(at, place);
      const weight = new Map(
        row.map((at, place) => {
          const beside = (isDown ? slots[at]?.up : slots[at]?.down) ?? [];
          return [at, beside.length === 0 ? place : mean(beside.map((one) => places.get(one) ?? 0))];
        }),
      );
      row.sort((a, b) => (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
    }
  }
}

/** Each near the middle of its neighbours, none over another. */
function placed(rows: readonly (readonly number[])[], slots: readonly Slot[], gap: number): number[] {
  const centers: number[] = [];
  for (const row of rows) {
    let x = 0;
    for (const at of row) {
      const width = slots[at]?.width ?? 0;
      centers[at] = x + width / 2;
      x += width + gap;
    }
  }
  for (let move = 0; move < MOVES; move++) {
    for (const row of move % 2 === 0 ? rows : rows.toReversed()) {
      const wanted = row.map((at) => {
        const beside = [...(slots[at]?.up ?? []), ...(slots[at]?.down ?? [])];
        return beside.length === 0 ? (centers[at] ?? 0) : mean(beside.map((one) => centers[one] ?? 0));
      });
      const spread = apart(row, slots, wanted, gap);
      for (const [place, at] of row.entries()) centers[at] = spread[place] ?? 0;
    }
  }
  // A row of its own stands straight below what it waits for.
  for (const row of rows) {
    const [at = 0] = row;
    const above = slots[at]?.up ?? [];
    if (row.length === 1 && above.length > 0) centers[at] = mean(above.map((one) => centers[one] ?? 0));
  }
  const left = Math.min(...slots.map(({ width }, at) => (centers[at] ?? 0) - width / 2));
  return centers.map((center) => center - left);
}

/** Between what pushing to the right and what pushing to the left would give. */
function apart(row: readonly number[], slots: readonly Slot[], wanted: readonly number[], gap: number): number[] {
  const between = (place: number) =>
    ((slots[row[place] ?? 0]?.width ?? 0) + (slots[row[place + 1] ?? 0]?.width ?? 0)) / 2 + gap;
  const right = [...wanted];
  for (let place = 1; place < right.length; place++)
    right[place] = Math.max(right[place] ?? 0, (right[place - 1] ?? 0) + between(place - 1));
  const left = [...wanted];
  for (let place = left.length - 2; place >= 0; place--)
    left[place] = Math.min(left[place] ?? 0, (left[place + 1] ?? 0) - between(place));
  return right.map((x, place) => (x + (left[place] ?? x)) / 2);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
