import { expect, it } from 'vitest';
import { graphOf } from '../../src/graph/graph.js';
import { planIn, planOf } from '../support/plans.js';
import { project } from '../support/project.js';

const EVERY_SHAPE = `
version: 1
name: shapes
description: Every shape once.
steps:
  - id: first
    set: { words: [a, b] }
  - id: stop
    when: 'query == ""'
    end: { outcome: nothing, status: refused }
  - id: each
    title: Each word
    foreach: steps.first.output.words
    max_items: 7
    agent: { instructions: You judge., prompt: "\${{ item }}", tools: [read_file], model: openai/gpt }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }
    retry: { attempts: 2 }
  - id: fixed
    needs: [first]
    foreach: [1, 2, 3]
    set: { n: "\${{ item }}" }
  - id: rounds
    repeat: { until: 'output.work == "x"', max: 4, on_max: accept }
    steps:
      - id: work
        shell: { run: echo x }
`;

it('has a node for each step, those of a group under it', async () => {
  const { nodes } = graphOf(await planOf(EVERY_SHAPE));
  expect(nodes.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
    'first set',
    'stop end',
    'each agent',
    'fixed set',
    'rounds steps',
    'rounds/work shell',
  ]);
  expect(nodes.find(({ path }) => path === 'rounds/work')).toMatchObject({ parent: 'rounds', id: 'work' });
});

it('tells loops with their bounds, conditions, ends, tools, models, attempts', async () => {
  const { nodes } = graphOf(await planOf(EVERY_SHAPE));
  const node = (path: string) => nodes.find((one) => one.path === path);
  expect(node('stop')).toMatchObject({ when: 'query == ""', end: { outcome: 'nothing', status: 'refused' } });
  expect(node('each')).toMatchObject({
    title: 'Each word',
    foreach: { over: 'steps.first.output.words', maxItems: 7 },
    attempts: 2,
    model: 'openai/gpt',
    tools: ['read_file'],
  });
  expect(node('each')?.foreach).not.toHaveProperty('items');
  expect(node('fixed')?.foreach).toMatchObject({ items: 3 });
  expect(node('rounds')?.repeat).toEqual({ until: 'output.work == "x"', max: 4 });
});

it('draws only the needs that others do not imply, and labels them with the condition', async () => {
  const { edges } = graphOf(await planOf(EVERY_SHAPE));
  expect(edges).toEqual([
    { from: 'first', to: 'stop', when: 'query == ""' },
    { from: 'stop', to: 'each' },
    { from: 'stop', to: 'fixed' },
    { from: 'fixed', to: 'rounds' },
  ]);
});

it('shows the steps of another skill under the step that runs it', async () => {
  const place = project({
    'skills/child/pipeline.yaml': `
version: 1
name: child
description: Makes one value.
steps:
  - id: make
    set: { x: "\${{ query }}" }
`,
    'pipeline.yaml': `
version: 1
name: parent
description: Calls a child.
steps:
  - id: call
    pipeline: { skill: child }
`,
  });
  const { nodes } = graphOf(await planIn(place));
  expect(nodes).toMatchObject([
    { path: 'call', kind: 'pipeline', skill: 'child' },
    { path: 'call/make', kind: 'set', parent: 'call' },
  ]);
});
