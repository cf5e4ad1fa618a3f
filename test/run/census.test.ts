import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Census } from '../../src/core/events.js';
import { readSteps } from '../../src/engine/read-steps.js';
import { project, type Ran } from '../support/project.js';

const steps = (text: string, head = '') => ({ 'pipeline.yaml': `version: 1\nname: t\n${head}steps:\n${text}` });

function census(ran: Ran): Partial<Census> {
  const { asked, done, failed, skipped, open } = ran.census;
  expect(done + failed + skipped + open).toBe(asked);
  return Object.fromEntries(Object.entries(ran.census).filter(([, count]) => count > 0));
}

function statuses(ran: Ran): Record<string, string> {
  const records = readSteps(join(ran.dir, 'events.ndjson'), false);
  return Object.fromEntries(records.map(({ path, status }) => [path, status]));
}

/** Waits until so many files `begun-*` lie in the run folder, then goes on or sleeps. */
const WAIT = (count: number, then: string) =>
  `until [ "$(ls -d "$PIPELINE_RUN_DIR"/.begun-* 2>/dev/null | wc -l)" -ge ${count} ]; do sleep 0.01; done; ${then}`;

it('lists a step that an earlier session skipped where it began at last', async () => {
  const it = project(
    steps(`  - { id: a, shell: { run: 'test -e "$PIPELINE_RUN_DIR/.go"' } }
  - id: g
    steps:
      - { id: one, shell: { run: 'true' } }
  - { id: b, shell: { run: 'true' } }
`),
  );
  const first = await it.run();
  expect(Object.keys(statuses(first))).toEqual(['a', 'g', 'b']);
  writeFileSync(join(first.dir, '.go'), '');
  const again = await it.run({ resume: true });
  expect(again.status, again.message).toBe('done');
  expect(Object.keys(statuses(again))).toEqual(['a', 'g', 'g/one', 'b']);
});

it('an end in a group, parallel to a loop: what was cut or left out counts as skipped, each once, loops and groups do not', async () => {
  const ran = await project(
    steps(`  - id: f
    needs: []
    foreach: [1, 2, 3, 4, 5, 6]
    max_parallel: 2
    shell: { run: 'touch "$PIPELINE_RUN_DIR/.begun-$N"; sleep 60', env: { N: '\${{ item }}' } }
  - id: g
    needs: []
    steps:
      - { id: w, shell: { run: '${WAIT(2, 'echo x')}' } }
      - { id: e, when: 'steps.w.output == "x"', end: { outcome: enough, status: done } }
      - { id: later, shell: { run: 'true' } }
  - { id: after, shell: { run: 'true' } }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'done', outcome: 'enough' });
  // w and e; two items cut, four left out, later, after.
  expect(census(ran)).toEqual({ asked: 10, done: 2, skipped: 8 });
  expect(statuses(ran)).toEqual({
    f: 'stopped',
    'f/0': 'stopped',
    'f/1': 'stopped',
    g: 'stopped',
    'g/w': 'done',
    'g/e': 'ended',
    'g/later': 'skipped',
    after: 'skipped',
  });
});

it('on_failure: stop counts what it cut as skipped', async () => {
  const ran = await project(
    steps(
      `  - { id: f, needs: [], foreach: [1, 2], shell: { run: '${WAIT(1, 'exit 1')}' } }
  - { id: h, needs: [], shell: { run: 'touch "$PIPELINE_RUN_DIR/.begun-h"; sleep 60' } }
  - { id: i, shell: { run: 'true' } }
`,
      'on_failure: stop\n',
    ),
  ).run();
  expect(ran.status).toBe('failed');
  expect(census(ran)).toEqual({ asked: 4, failed: 2, skipped: 2 });
  expect(statuses(ran)).toMatchObject({ f: 'failed', h: 'stopped', i: 'skipped' });
});

it('a loop counts by its items, a repeat by its rounds, a group by its steps', async () => {
  const ran = await project(
    steps(`  - id: f
    foreach: [1, 2, 3]
    min_success: 1
    shell: { run: 'exit $((N - 1))', env: { N: '\${{ item }}' } }
  - id: r
    repeat: { until: 'iteration == 2', max: 5 }
    shell: { run: 'true' }
  - id: g
    foreach: [1, 2]
    steps:
      - { id: a, set: { x: 1 } }
      - { id: b, when: 'item == 1', set: { x: 2 } }
`),
  ).run();
  expect(census(ran)).toEqual({ asked: 10, done: 7, failed: 2, skipped: 1 });
});

it('what is skipped as a whole counts once, be it a group or a loop; a list that cannot be made counts as failed', async () => {
  const ran = await project(
    steps(`  - id: g
    when: 'query == "no"'
    steps: [{ id: a, set: { x: 1 } }, { id: b, set: { x: 1 } }]
  - { id: h, when: 'query == "no"', foreach: [1, 2], set: { x: 1 } }
  - { id: many, foreach: [1, 2], max_items: 1, set: { x: 1 } }
`),
  ).run();
  expect(census(ran)).toEqual({ asked: 3, failed: 1, skipped: 2 });
});

it('a group that is tried again counts its steps once, and what it had finished itself is not reused', async () => {
  const ran = await project(
    steps(`  - id: g
    retry: { attempts: 2, backoff: 1ms }
    steps:
      - { id: a, shell: { run: 'true' } }
      - { id: b, shell: { run: 'test -e "$PIPELINE_RUN_DIR/.again" || { touch "$PIPELINE_RUN_DIR/.again"; exit 1; }' } }
`),
  ).run();
  expect(census(ran)).toEqual({ asked: 2, done: 2 });
});

it('a resumed run counts what it reused as done', async () => {
  const it = project(
    steps(`  - { id: a, foreach: [1, 2], set: { x: '\${{ item }}' } }
  - { id: b, shell: { run: 'test -e "$PIPELINE_PROJECT_DIR/ok"' } }
`),
  );
  expect(census(await it.run())).toEqual({ asked: 3, done: 2, failed: 1 });
  it.write('ok', '');
  expect(census(await it.run({ resume: true }))).toEqual({ asked: 3, done: 3, reused: 2 });
});

it('what a stop cuts stays open, and show calls nothing running that no process runs', async () => {
  const it = project(
    steps(`  - id: g
    foreach: [1, 2]
    max_parallel: 1
    steps:
      - { id: s, shell: { run: 'touch "$PIPELINE_PROJECT_DIR/begun"; sleep 60' } }
      - { id: t, shell: { run: 'true' } }
  - { id: after, shell: { run: 'true' } }
`),
  );
  const stop = new AbortController();
  const { Fault } = await import('../../src/core/faults.js');
  const sink = {
    write: (event: { readonly type: string; readonly path?: string }) => {
      if (event.type === 'step_started' && event.path === 'g/0/s')
        stop.abort(new Fault('run.cancelled', 'interrupted'));
    },
  };
  const ran = await it.run({ signal: stop.signal, sinks: [sink] });
  expect(ran.status).toBe('cancelled');
  expect(census(ran)).toEqual({ asked: 1, open: 1 });
  expect(statuses(ran)).toEqual({ g: 'interrupted', 'g/0': 'interrupted', 'g/0/s': 'stopped' });
});
