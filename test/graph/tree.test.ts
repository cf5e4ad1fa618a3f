import { expect, it } from 'vitest';
import { graphOf } from '../../src/graph/graph.js';
import { treeRows } from '../../src/graph/tree.js';
import { planOf } from '../support/plans.js';

const PLAN = `
version: 1
name: tree
description: A tree.
steps:
  - id: a
    title: "The first  of all"
    set: { x: 1 }
  - id: b
    set: { x: 1 }
  - id: c
    needs: []
    set: { x: 1 }
  - id: d
    needs: [b, c]
    steps:
      - id: e
        foreach: inputs.list
        set: { x: 1 }
  - id: f
    when: query != ""
    set: { x: 1 }
inputs:
  list: { type: array, maxItems: 9, default: [], items: { type: string } }
`;

it('says what a step waits for only where that is not the row above', async () => {
  const rows = treeRows(graphOf(await planOf(PLAN)));
  expect(rows.map(({ rail, node, kind, notes }) => `${rail}${node.id} | ${kind} | ${notes.join(' · ')}`)).toEqual([
    '├─ a | set | The first of all',
    '├─ b | set | ',
    '├─ c | set | starts at once',
    '├─ d | steps | after b, c',
    '│  └─ e | set ×max 9 | each of inputs.list',
    '└─ f | set | when query != ""',
  ]);
});
