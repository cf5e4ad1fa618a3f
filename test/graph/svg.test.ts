import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Graph, GraphNode } from '../../src/graph/graph.js';
import { layOut } from '../../src/graph/layout.js';
import { svgText } from '../../src/graph/svg.js';
import { hostileGraphs } from '../support/hostile-graphs.js';

const TAG = /<(\/?)(svg|title|style|defs|marker|path|text|rect|g)((?: [a-zA-Z-]+="[^"<&]*")*)(\/?)>/g;

/** Tags that are opened and not closed, and what is left when all that SVG of ours may hold is taken out. */
function misshapen(svg: string): { readonly open: readonly string[]; readonly rest: string } {
  const open: string[] = [];
  for (const [, closing, name = '', , alone] of svg.matchAll(TAG)) {
    if (alone === '/') continue;
    if (closing === '') open.push(name);
    else if (open.pop() !== name) return { open: [name], rest: '' };
  }
  const rest = svg.replace(TAG, '').replace(/&(amp|lt|gt|quot|#39);/g, '');
  return { open, rest: rest.replace(/[^<&]/g, '') };
}

it('stays well-formed, and lets no text of a skill be a tag', async () => {
  await fc.assert(
    fc.asyncProperty(hostileGraphs, async (graph) => {
      const svg = await svgText(graph);
      expect(misshapen(svg)).toEqual({ open: [], rest: '' });
      expect(svg).not.toMatch(/(?!\n)\p{Cc}|[\uFFFE\uFFFF]/u);
      expect(svg).not.toMatch(/\p{Cs}/u);
    }),
    { numRuns: 60 },
  );
});

it('refers to nothing outside itself', async () => {
  const svg = await svgText(graphOfChain(3));
  const addresses = svg.match(/https?:[^"']*/g);
  expect(addresses).toEqual(['http://www.w3.org/2000/svg']);
  expect(svg).not.toMatch(/@import|href|url\((?!#)/);
});

it('holds the boxes of a group within the box of the group, and apart from each other', async () => {
  const inner: GraphNode[] = ['g/a', 'g/b', 'g/c'].map((path) => ({ ...nodeOf(path, []), parent: 'g' }));
  const graph: Graph = {
    name: 'g',
    nodes: [nodeOf('g', []), ...inner],
    edges: [{ from: 'g/a', to: 'g/b', when: 'query == "x"' }],
  };
  const { boxes } = await layOut(graph);
  const [group] = boxes;
  const held = group?.inner?.boxes ?? [];
  expect(held).toHaveLength(3);
  for (const box of held) {
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(group?.inner?.width ?? 0);
    expect(box.y + box.height).toBeLessThanOrEqual(group?.inner?.height ?? 0);
    for (const other of held) {
      if (other === box) continue;
      const apartX = box.x + box.width <= other.x || other.x + other.width <= box.x;
      const apartY = box.y + box.height <= other.y || other.y + other.height <= box.y;
      expect(apartX || apartY).toBe(true);
    }
  }
});

it('draws a thousand steps', async () => {
  const { boxes, lines } = await layOut(graphOfChain(1_000));
  expect([boxes.length, lines.length]).toEqual([1_000, 999]);
});

function graphOfChain(count: number): Graph {
  const paths = Array.from({ length: count }, (_, at) => `s${at}`);
  const edges = paths.slice(1).map((to, at) => ({ from: paths[at] ?? '', to }));
  return { name: 'chain', nodes: paths.map((path, at) => nodeOf(path, at === 0 ? [] : [paths[at - 1] ?? ''])), edges };
}

function nodeOf(path: string, after: readonly string[]): GraphNode {
  return { path, id: path.split('/').at(-1) ?? path, title: path, kind: 'shell', after, tools: [] };
}
