import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { findLeftovers } from '../../src/process/group.js';
import { checkPipeline } from '../../src/run.js';
import { project } from '../support/project.js';

const file = (steps: string) => `version: 1\nname: t\nsteps:${steps}`;
const step = (id: string, more = '', run = `echo ${id}`) => `\n  - { id: ${id}, ${more}shell: { run: '${run}' } }`;

async function said(steps: string) {
  const { dir } = project({ 'pipeline.yaml': file(steps) });
  const { problems } = await checkPipeline('./pipeline.yaml', { cwd: dir, env: { HOME: dir } });
  return problems.map(({ rule, message, hint, at }) => ({ text: `${message} ${hint ?? ''}`, rule, line: at.line }));
}

describe('dag-01: a graph that cannot run is refused before anything runs, with every mistake and its line', () => {
  it.each([
    [
      'a cycle is printed as a -> b -> c -> a',
      step('a', 'needs: [c], ') + step('b', 'needs: [a], ') + step('c', 'needs: [b], '),
      'cycle',
      4,
      /a -> (b -> c|c -> b) -> a/,
    ],
    ['a need of itself', step('a', 'needs: [a], '), 'self-need', 4, /itself/],
    [
      'an unknown need with a suggestion',
      step('b') + step('a', 'needs: [b1], '),
      'unknown-need',
      5,
      /Did you mean "b"\?/,
    ],
    ['an id that is taken', step('a') + step('a'), 'duplicate-id', 5, /taken by the step in line 4/],
    ['an id that JavaScript objects have', step('__proto__'), 'bad-id', 4, /__proto__/],
    ['needs that are a text', step('a') + step('b', 'needs: a, '), 'wrong-type', 5, /\[a\]/],
    ['no steps', ' []\n', 'no-steps', 3, /nothing to run/],
  ])('%s', async (_, steps, rule, line, words) => {
    const found = await said(steps);
    expect(found).toMatchObject([{ rule, line }]);
    expect(found[0]?.text).toMatch(words);
  });

  it('an id such as `constructor` is a name like any other', async () => {
    expect(await said(step('constructor') + step('b', 'needs: [constructor], '))).toEqual([]);
    const { plan } = await checkPipelineOf(step('constructor') + step('b', 'needs: [constructor], '));
    expect(plan?.steps[1]?.after).toEqual(['constructor']);
  });

  it('all of them at once, and nothing runs', async () => {
    const steps =
      step('a', '', 'touch "$PIPELINE_PROJECT_DIR/ran"') +
      step('a') +
      step('b', 'needs: [b], ') +
      step('c', 'needs: [d1], ');
    const at = project({ 'pipeline.yaml': file(steps) });
    const report = await at.refused();
    expect(report.exit).toBe(2);
    expect(report.problems.map(({ rule }) => rule)).toEqual(['duplicate-id', 'self-need', 'unknown-need']);
    expect(existsSync(join(at.dir, 'ran'))).toBe(false);
  });
});

async function checkPipelineOf(steps: string) {
  const { dir } = project({ 'pipeline.yaml': file(steps) });
  return checkPipeline('./pipeline.yaml', { cwd: dir, env: { HOME: dir } });
}

it('dag-02: foreach over an empty list succeeds with [], and those after it run', async () => {
  const at = project({
    'pipeline.yaml': `${file(`
  - { id: list, set: { items: [] } }
  - { id: each, foreach: steps.list.output.items, max_items: 3, shell: { run: 'false' } }
  - { id: next, set: { count: '\${{ steps.each.output.size() }}' } }`)}
result: { each: '\${{ steps.each.output }}', count: '\${{ steps.next.output.count }}' }
`,
  });
  expect(await at.run()).toMatchObject({
    status: 'done',
    exit: 0,
    result: { each: [], count: 0 },
    census: { failed: 0 },
  });
});

describe('dag-05: when one of three that run together fails, each policy does as it is named', () => {
  const three = (policy: string) => `version: 1
name: t
on_failure: ${policy}
steps:
  - { id: one, needs: [], shell: { run: 'touch "$PIPELINE_PROJECT_DIR/up1"; until test -e "$PIPELINE_PROJECT_DIR/go"; do sleep 0.02; done; touch "$PIPELINE_PROJECT_DIR/s1"' } }
  - { id: two, needs: [], shell: { run: 'until test -e "$PIPELINE_PROJECT_DIR/up1" && test -e "$PIPELINE_PROJECT_DIR/up3"; do sleep 0.02; done; exit 1' } }
  - { id: three, needs: [], shell: { run: 'touch "$PIPELINE_PROJECT_DIR/up3"; until test -e "$PIPELINE_PROJECT_DIR/go"; do sleep 0.02; done; touch "$PIPELINE_PROJECT_DIR/s3"' } }
`;

  it('stop: the others are cancelled, the first error is the one that is reported, nothing runs on', async () => {
    const at = project({ 'pipeline.yaml': three('stop') });
    const id = randomUUID();
    const counts: number[] = [];
    const count = ({ type }: Recorded) => type === 'step_failed' && counts.push(findLeftovers(id).length);
    const ran = await at.run({ newId: () => id, sinks: [{ write: count }] });
    expect(ran).toMatchObject({ status: 'failed', exit: 1, census: { failed: 1 } });
    expect(ran.paths('step_failed')).toEqual(['two']);
    expect(counts).toEqual([expect.any(Number)]);
    expect(counts[0]).toBeGreaterThanOrEqual(2);
    expect(findLeftovers(id)).toEqual([]);
  });

  it('continue: the others finish, and the run is failed all the same', async () => {
    const at = project({ 'pipeline.yaml': three('continue').replaceAll('"$PIPELINE_PROJECT_DIR/go"', '/') });
    const ran = await at.run();
    expect(ran).toMatchObject({ status: 'failed', exit: 1, census: { done: 2, failed: 1 } });
    expect([existsSync(join(at.dir, 's1')), existsSync(join(at.dir, 's3'))]).toEqual([true, true]);
  });
});

describe('dag-07: in a chain', () => {
  const chain = (first: string) => `version: 1
name: t
steps:
  - { id: a, ${first} }
  - { id: b, needs: [a], shell: { run: echo b } }
  - { id: c, needs: [b], shell: { run: echo c } }
  - { id: d, needs: [c], shell: { run: echo d } }
`;

  it('all that hangs on a failed step is skipped, and the run ends with exit 1', async () => {
    const ran = await project({ 'pipeline.yaml': chain("shell: { run: 'exit 3' }") }).run();
    expect(ran).toMatchObject({ status: 'failed', exit: 1, census: { done: 0, failed: 1, skipped: 3 } });
    const skipped = ran.events.flatMap((event) => (event.type === 'step_skipped' ? [event] : []));
    expect(skipped.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'b blocked by a',
      'c blocked by a',
      'd blocked by a',
    ]);
  });

  it('a step that its condition skips holds nobody up', async () => {
    const ran = await project({ 'pipeline.yaml': chain('when: \'query == "other"\', shell: { run: echo a }') }).run();
    expect(ran).toMatchObject({ status: 'done', exit: 0, census: { done: 3, failed: 0, skipped: 1 } });
  });
});

it('dag-08: with on_failure: continue a branch that does not hang on the failed step runs to its end', async () => {
  const ran = await project({
    'pipeline.yaml': file(`
  - { id: a, needs: [], shell: { run: 'exit 1' } }
  - { id: b, needs: [a], shell: { run: echo b } }
  - { id: c, needs: [], shell: { run: echo c } }
  - { id: d, needs: [c], shell: { run: echo d } }
`),
  }).run();
  expect(ran.paths('step_done')).toEqual(['c', 'd']);
  // The design: a step that failed and was not allowed to makes the run failed, not partial.
  expect(ran).toMatchObject({ status: 'failed', exit: 1, census: { done: 2, failed: 1, skipped: 1 } });
});

describe('dag-10: nothing of one run or item is seen in another', () => {
  const items = Array.from({ length: 40 }, (_, index) => index);
  const loop = `version: 1
name: t
limits: { max_parallel: 16 }
steps:
  - id: each
    foreach: [${items.join(', ')}]
    steps:
      - { id: own, set: { item: '\${{ steps.each.item }}', index: '\${{ steps.each.index }}', query: '\${{ query }}' } }
      - { id: inner, foreach: [0, 1], set: { v: '\${{ string(steps.own.output.item) + "/" + string(item) + "/" + string(steps.each.index) }}' } }
    result: { own: '\${{ steps.own.output }}', inner: '\${{ steps.inner.output.map(i, i.v) }}' }
result: '\${{ steps.each.output }}'
`;

  it('of forty items at once, in three runs at once in one process', async () => {
    const queries = ['one', 'two', 'three'];
    const runs = await Promise.all(queries.map((query) => project({ 'pipeline.yaml': loop }).run({ query })));
    for (const [place, ran] of runs.entries()) {
      expect(ran.result).toEqual(
        items.map((item) => ({
          own: { item, index: item, query: queries[place] },
          inner: [`${item}/0/${item}`, `${item}/1/${item}`],
        })),
      );
    }
  });
});
