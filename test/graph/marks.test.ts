import { expect, it } from 'vitest';
import type { Graph, GraphNode } from '../../src/graph/graph.js';
import { withStatus } from '../../src/graph/marks.js';

const node = (path: string): GraphNode => {
  const parts = path.split('/');
  const parent = parts.slice(0, -1).join('/');
  const id = parts.at(-1) ?? '';
  return { path, id, title: id, kind: 'set', after: [], tools: [], ...(parent === '' ? {} : { parent }) };
};

const graph: Graph = { name: 'g', edges: [], nodes: ['a', 'each', 'rounds', 'rounds/audit', 'late'].map(node) };

function marked(steps: Parameters<typeof withStatus>[1]) {
  const { graph: result, gone } = withStatus(graph, steps);
  return { gone, of: (path: string) => result.nodes.find((one) => one.path === path) };
}

it('marks a step with its own status, and one that was not reached with none', () => {
  const { of } = marked([{ path: 'a', status: 'failed' }]);
  expect(of('a')?.status).toBe('failed');
  expect(of('late')).not.toHaveProperty('status');
});

it('counts the items of a loop beside what the loop came to', () => {
  const { of } = marked([
    { path: 'each', status: 'done' },
    { path: 'each/0', status: 'done' },
    { path: 'each/1', status: 'failed' },
    { path: 'each/2', status: 'done' },
  ]);
  expect(of('each')).toMatchObject({ status: 'done', counts: { done: 2, failed: 1 } });
});

it('shows of a step that ran in several rounds what needs attention first', () => {
  const { of } = marked([
    { path: 'rounds/0/audit', status: 'done' },
    { path: 'rounds/1/audit', status: 'waiting' },
  ]);
  expect(of('rounds/audit')).toMatchObject({ status: 'waiting', counts: { done: 1, waiting: 1 } });
});

it('calls a loop and a group reused when nothing in them ran again', () => {
  const { of } = marked([
    { path: 'each', status: 'done' },
    { path: 'each/0', status: 'reused' },
    { path: 'each/1', status: 'reused' },
    { path: 'rounds', status: 'done' },
    { path: 'rounds/0', status: 'done' },
    { path: 'rounds/0/audit', status: 'reused' },
  ]);
  expect(of('each')?.status).toBe('reused');
  expect(of('rounds')?.status).toBe('reused');
  expect(
    marked([
      { path: 'rounds', status: 'done' },
      { path: 'rounds/0/audit', status: 'done' },
    ]).of('rounds')?.status,
  ).toBe('done');
});

it('names steps that the plan no longer has', () => {
  expect(marked([{ path: 'gone/3/x', status: 'done' }]).gone).toEqual(['gone/x']);
});
