import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Graph } from '../../src/graph/graph.js';
import { type Box, type Drawing, laidOut } from '../../src/report/graph-layout.js';

/** A plan in which each step needs some that stand before it; some steps are groups. */
const plans = fc
  .array(fc.record({ needs: fc.array(fc.nat(9), { maxLength: 3 }), words: fc.nat(40), inner: fc.nat(4) }), {
    minLength: 1,
    maxLength: 14,
  })
  .map((steps): Graph => {
    const node = (path: string, words: number, after: string[], parent?: string) => ({
      path,
      id: path.split('/').at(-1) ?? path,
      title: 'w'.repeat(words),
      kind: 'set',
      after,
      tools: [],
      ...(parent === undefined ? {} : { parent }),
    });
    const nodes = steps.flatMap(({ needs, words, inner }, at) => [
      node(`s${at}`, words, at === 0 ? [] : needs.map((need) => `s${need % at}`)),
      ...Array.from({ length: inner }, (_, place) => node(`s${at}/t${place}`, place, [], `s${at}`)),
    ]);
    return { name: 'p', nodes, edges: nodes.flatMap(({ path, after }) => after.map((from) => ({ from, to: path }))) };
  });

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function expectGood({ boxes, lines, width, height }: Drawing): void {
  for (const [at, box] of boxes.entries()) {
    expect(box.x).toBeGreaterThanOrEqual(-0.5);
    expect(box.x + box.width).toBeLessThanOrEqual(width + 0.5);
    expect(box.y + box.height).toBeLessThanOrEqual(height + 0.5);
    for (const other of boxes.slice(at + 1)) expect(overlaps(box, other), `${box.name} over ${other.name}`).toBe(false);
    if (!box.inner) continue;
    expect(box.inner.width).toBeLessThanOrEqual(box.width);
    expectGood(box.inner);
  }
  for (const { points } of lines) for (const { x, y } of points) expect(Number.isFinite(x + y)).toBe(true);
}

it('puts no box over another, each in its drawing, whatever the plan', () => {
  fc.assert(
    fc.property(plans, (graph) => expectGood(laidOut(graph))),
    { numRuns: 200 },
  );
});

it('breaks a long chain into columns, and keeps each step after what it needs', () => {
  const ids = Array.from({ length: 16 }, (_, at) => `step_${at}`);
  const nodes = ids.map((id, at) => ({
    path: id,
    id,
    title: id,
    kind: 'set',
    after: ids.slice(Math.max(0, at - 1), at),
    tools: [],
  }));
  const edges = ids.slice(1).map((to, at) => ({ from: ids[at] ?? '', to }));
  const { boxes, width, height, lines } = laidOut({ name: 'chain', nodes, edges });
  expect(new Set(boxes.map(({ x }) => Math.round(x / 40))).size).toBeGreaterThan(1);
  expect(width).toBeLessThan(1_100);
  expect(height).toBeLessThan(500);
  for (const [at, { points }] of lines.entries()) {
    const [from, to] = [boxes[at], boxes[at + 1]];
    expect(points[0]?.y).toBeCloseTo((from?.y ?? 0) + (from?.height ?? 0), 0);
    expect(points.at(-1)?.y).toBeCloseTo(to?.y ?? 0, 0);
  }
});

it('draws a damaged graph that needs itself, too', () => {
  const node = (path: string, after: string[]) => ({ path, id: path, title: path, kind: 'set', after, tools: [] });
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
    { from: 'gone', to: 'a' },
  ];
  expectGood(laidOut({ name: 'p', nodes: [node('a', ['b']), node('b', ['a'])], edges }));
});
