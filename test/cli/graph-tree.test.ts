import { expect, it } from 'vitest';
import { treeText } from '../../src/cli/graph-tree.js';
import { columnsOf } from '../../src/core/columns.js';
import { graphOf } from '../../src/graph/graph.js';
import { withStatus } from '../../src/graph/marks.js';
import { planOf } from '../support/plans.js';

const PLAN = `
version: 1
name: screen
description: A screen.
steps:
  - id: first
    title: 汉字汉字汉字 and quite a long title that does not fit into sixty columns
    set: { x: 1 }
  - id: second
    set: { x: 1 }
`;

it('cuts what does not fit a terminal, and nothing where nobody looks', async () => {
  const graph = graphOf(await planOf(PLAN));
  const narrow = treeText(graph, { columns: 40, color: false });
  expect(narrow.split('\n').every((line) => columnsOf(line) <= 40)).toBe(true);
  expect(narrow).toContain('…');
  expect(treeText(graph, { columns: undefined, color: false })).toContain('into sixty columns');
});

it('marks each step of a run, in colour only on a terminal', async () => {
  const { graph } = withStatus(graphOf(await planOf(PLAN)), [{ path: 'first', status: 'done' }]);
  expect(treeText(graph, { columns: 30, color: false })).toBe(
    'screen\n✓ ├─ first   set  汉字汉字汉…\n  └─ second  set',
  );
  expect(treeText(graph, { columns: 30, color: true })).toContain('\u001b[32m✓\u001b[0m');
});
