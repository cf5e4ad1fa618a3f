import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const steps = (text: string, top = '') => ({ 'pipeline.yaml': `version: 1\nname: t\n${top}steps:\n${text}` });

it('fans out over a list and keeps the order of the items, whatever finishes first', async () => {
  const ran = await project(
    steps(`  - id: each
    foreach: [3, 1, 2]
    max_parallel: 3
    shell: { run: 'sleep 0.$N; echo "$N"', env: { N: '\${{ item }}' } }
result: '\${{ steps.each.output }}'
`),
  ).run();
  expect(ran.result).toEqual(['3', '1', '2']);
});

it('gives [] for an empty list, and those after it run', async () => {
  const ran = await project(
    steps(`  - id: none
    set: { list: [] }
    output: { type: object, properties: { list: { type: array, items: { type: string }, maxItems: 3 } }, required: [list] }
  - id: each
    foreach: steps.none.output.list
    set: { x: '\${{ item }}' }
  - id: after
    set: { n: '\${{ size(steps.each.output) }}' }
result: '\${{ steps.after.output.n }}'
`),
  ).run();
  expect(ran).toMatchObject({ status: 'done', result: 0 });
});

it('refuses more items than max_items instead of dropping some', async () => {
  const ran = await project(
    steps(`  - id: make
    shell: { run: 'echo "[1,2,3]"' }
    output: { type: array, items: { type: integer } }
  - id: each
    foreach: steps.make.output
    max_items: 2
    set: { x: '\${{ item }}' }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'step.items' } });
  expect(ran.message).toContain('3 items; max_items is 2');
});

const FLAKY = (top: string) => `  - id: each
    foreach: [a, b, c, d]
    ${top}
    shell: { run: 'test "$X" != b', env: { X: '\${{ item }}' } }
  - id: after
    set: { failed: '\${{ steps.each.failures.map(f, f.item) }}', kept: '\${{ size(steps.each.output) }}' }
result: '\${{ steps.after.output }}'
`;

it('fails a loop when an item fails, unless min_success allows it; the failures are data', async () => {
  const strict = await project(steps(FLAKY(''))).run();
  expect(strict).toMatchObject({ status: 'failed', exit: 1 });
  expect(strict.message).toContain('1 of 4 items failed');
  const tolerant = await project(steps(FLAKY('min_success: 75%'))).run();
  expect(tolerant).toMatchObject({ status: 'partial', exit: 8, result: { failed: ['b'], kept: 3 } });
  const count = await project(steps(FLAKY('min_success: 4'))).run();
  expect(count).toMatchObject({ status: 'failed', fault: { code: 'shell.exit' } });
});

it('repeats until the condition holds; each round sees the previous output', async () => {
  const ran = await project(
    steps(`  - id: grow
    repeat: { until: 'output.n >= 3', max: 9 }
    set: { n: '\${{ iteration == 0 ? 1 : previous.n + 1 }}' }
    output: { type: object, properties: { n: { type: number } }, required: [n] }
result: '\${{ steps.grow.output.n }}'
`),
  ).run();
  expect(ran.result).toBe(3);
  expect(ran.paths('step_done')).toEqual(['grow/0', 'grow/1', 'grow/2', 'grow']);
});

const NEVER = (more: string) => `  - id: rounds
    repeat: { until: 'output.ok', max: 2${more} }
    steps:
      - id: work
        shell: { run: 'echo "round $I" > note.txt; echo "$I"', env: { I: '\${{ steps.rounds.iteration }}' } }
      - id: judge
        set: { ok: false }
    result: { ok: '\${{ steps.judge.output.ok }}', last: '\${{ steps.work.output }}' }
result: '\${{ steps.rounds.output.last }}'
`;

it('fails after max rounds, or takes the last output with on_max: accept; the files of the last round stay', async () => {
  const strict = await project(steps(NEVER(''))).run();
  expect(strict).toMatchObject({ status: 'failed', fault: { code: 'step.repeat_max' } });
  const accepting = await project(steps(NEVER(', on_max: accept'))).run();
  expect(accepting).toMatchObject({ status: 'done', result: '1' });
  expect(accepting.files()).toEqual(['note.txt']);
  expect(accepting.file('note.txt')).toBe('round 1\n');
});

it('lets a group see the ids outside and shows only its output to others', async () => {
  const ran = await project(
    steps(`  - id: a
    set: { x: 1 }
  - id: group
    steps:
      - id: inner
        set: { y: '\${{ steps.a.output.x + 1 }}' }
      - id: more
        set: { z: '\${{ steps.inner.output.y + 1 }}' }
result: '\${{ steps.group.output }}'
`),
  ).run();
  expect(ran.result).toEqual({ inner: { y: 2 }, more: { z: 3 } });
});

it('runs groups inside foreach: items do not see each other', async () => {
  const ran = await project(
    steps(`  - id: each
    foreach: [1, 2, 3]
    max_parallel: 3
    steps:
      - id: double
        set: { n: '\${{ item * 2 }}', place: '\${{ index }}' }
      - id: text
        shell: { run: 'echo "$N" > out.txt; echo "$N"', env: { N: '\${{ steps.double.output.n }}' } }
    result: { text: '\${{ steps.text.output }}', place: '\${{ steps.double.output.place }}' }
result: '\${{ steps.each.output }}'
`),
  ).run();
  expect(ran.result).toEqual([
    { text: '2', place: 0 },
    { text: '4', place: 1 },
    { text: '6', place: 2 },
  ]);
  expect(ran.files()).toEqual(['each/0/out.txt', 'each/1/out.txt', 'each/2/out.txt']);
});

it('never runs more attempts at once than limits.max_parallel', async () => {
  const it = project(
    steps(
      `  - id: each
    foreach: [1, 2, 3, 4, 5, 6]
    max_parallel: 6
    shell: { run: 'echo + >> "$PIPELINE_PROJECT_DIR/log"; sleep 0.15; echo - >> "$PIPELINE_PROJECT_DIR/log"' }
`,
      'limits: { max_parallel: 2 }\n',
    ),
  );
  await it.run();
  let now = 0;
  let most = 0;
  for (const mark of it.read('log').trim().split('\n')) {
    now += mark === '+' ? 1 : -1;
    most = Math.max(most, now);
  }
  expect(most).toBe(2);
});
