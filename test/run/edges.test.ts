import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project, type Ran } from '../support/project.js';

const plan = (text: string, top = '') => ({ 'pipeline.yaml': `version: 1\nname: t\n${top}steps:\n${text}` });

/** Leaves of the journal only what stood there before the first event of this type and path. */
function crashBefore(ran: Ran, type: string, path: string): void {
  const file = join(ran.dir, 'events.ndjson');
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const at = lines.findIndex((line) => {
    const event = JSON.parse(line) as { type: string; path?: string };
    return event.type === type && event.path === path;
  });
  writeFileSync(file, `${lines.slice(0, at).join('\n')}\n`);
}

it('keeps the files and the answer of an agent that was killed after its resolve was accepted', async () => {
  const it = project({
    ...plan(`  - id: a
    agent: { prompt: Write., tools: [write_file], max_rounds: 2 }
    artifacts: [n.md]
    output: { type: object, properties: { x: { type: string } }, required: [x] }
result: '\${{ steps.a.output.x }}'
`),
    'turns.json': [
      { calls: [{ name: 'write_file', arguments: { path: 'n.md', content: 'note' } }] },
      { calls: [{ name: 'resolve', arguments: { x: 'one' } }] },
    ],
  });
  const first = await it.run({ model: 'script:turns.json' });
  crashBefore(first, 'step_done', 'a');
  it.write('turns.json', []);
  mkdirSync(join(first.dir, '.steps/a/work'));
  writeFileSync(join(first.dir, '.steps/a/work/n.md'), 'note');
  const again = await it.run({ model: 'script:turns.json', resume: true });
  expect(again).toMatchObject({ status: 'done', result: 'one' });
  expect(again.file('n.md')).toBe('note');
});

it('refuses a file where another step has left a folder of that name, and the other way round', async () => {
  for (const [one, two] of [
    ['echo 1 > x', 'mkdir x; echo 2 > x/y'],
    ['mkdir x; echo 2 > x/y', 'echo 1 > x'],
  ]) {
    const ran = await project(
      plan(`  - id: a\n    shell: { run: '${one}' }\n  - id: b\n    shell: { run: '${two}' }\n`),
    ).run();
    expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.conflict' } });
  }
});

it('keeps a result of twenty megabytes out of the journal, and can be resumed and read', async () => {
  const it = project(
    plan(
      `  - id: a\n    shell: { run: 'head -c 20000000 /dev/zero | tr "\\\\0" x' }\nresult: '\${{ steps.a.output }}'\n`,
    ),
  );
  const first = await it.run();
  expect(String(first.result)).toHaveLength(20_000_000);
  const again = await it.run({ resume: true });
  expect(String(again.result)).toHaveLength(20_000_000);
  expect(again.census.reused).toBe(1);
});

it('reuses the finished steps of a group when the group is tried again', async () => {
  const it = project(
    plan(`  - id: g
    retry: { attempts: 2, backoff: 10ms }
    steps:
      - id: a
        shell: { run: 'echo a >> "$PIPELINE_PROJECT_DIR/log"; echo x > a.txt' }
      - id: b
        shell: { run: 'echo b >> "$PIPELINE_PROJECT_DIR/log"; test $(grep -c b "$PIPELINE_PROJECT_DIR/log") -ge 2' }
`),
  );
  const ran = await it.run();
  expect(ran.status).toBe('done');
  expect(it.read('log')).toBe('a\nb\nb\n');
  expect(ran.files()).toEqual(['a.txt']);
});

it('lets a step be called save inside a group that saves', async () => {
  const ran = await project(
    plan(`  - id: g
    save: g.json
    steps:
      - id: save
        shell: { run: 'echo x > x.txt' }
`),
  ).run();
  expect(ran.files()).toEqual(['g.json', 'x.txt']);
});

it('keeps the files of steps that a failed resume did not reach', async () => {
  const steps = (a: string) =>
    plan(`  - id: a\n    shell: { run: '${a}' }\n  - id: b\n    shell: { run: 'echo b > b.txt' }\n`);
  const it = project(steps('echo a > a.txt'));
  await it.run();
  it.write('pipeline.yaml', steps('exit 1')['pipeline.yaml']);
  const again = await it.run({ resume: true });
  expect(again.status).toBe('failed');
  expect(again.files()).toEqual(['a.txt', 'b.txt']);
});

it("takes a step's old files away before the next step sees the new ones", async () => {
  const steps = (name: string) =>
    plan(
      `  - id: a\n    shell: { run: 'echo a > ${name}' }\n  - id: b\n    shell: { run: 'ls "$PIPELINE_RUN_DIR" | grep txt' }\nresult: '\${{ steps.b.output }}'\n`,
    );
  const it = project(steps('one.txt'));
  await it.run();
  it.write('pipeline.yaml', steps('two.txt')['pipeline.yaml']);
  expect((await it.run({ resume: true })).result).toBe('two.txt');
});

it('drops the files of items that the last round of a repeat had no more', async () => {
  const ran = await project(
    plan(`  - id: rounds
    repeat: { until: 'iteration == 1', max: 2 }
    steps:
      - id: list
        set: { items: '\${{ iteration == 0 ? ["1", "2", "3"] : ["1"] }}' }
      - id: each
        foreach: steps.list.output.items
        max_items: 3
        shell: { run: 'echo "$X" > f.txt', env: { X: '\${{ item }}' } }
`),
  ).run();
  expect(ran.status).toBe('done');
  expect(ran.files()).toEqual(['each/0/f.txt']);
});

it('calls a run partial when something failed in an earlier round of a repeat', async () => {
  const ran = await project(
    plan(`  - id: rounds
    repeat: { until: 'iteration == 1', max: 2 }
    steps:
      - id: a
        on_error: continue
        shell: { run: 'test "$I" = 1', env: { I: '\${{ iteration }}' } }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'partial', exit: 8 });
});

it('fails a group that ran out of its time, whatever its steps tolerate', async () => {
  const ran = await project(
    plan(`  - id: g
    timeout: 300ms
    steps:
      - id: a
        on_error: continue
        shell: { run: 'sleep 30' }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.timeout' } });
});

it('lets an outer timeout end the wait of an inner retry', async () => {
  const ran = await project(
    plan(`  - id: g
    timeout: 400ms
    steps:
      - id: inner
        retry: { attempts: 2, backoff: 60s }
        steps:
          - id: a
            shell: { run: 'exit 1' }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.timeout' } });
});

it('judges each round of a repeat where it stands', async () => {
  const ran = await project(
    plan(`  - id: r
    repeat: { until: 'iteration == 1', max: 3 }
    steps:
      - id: a
        set: { n: '\${{ iteration }}' }
    result: '\${{ steps.a.output }}'
    output: { type: object, properties: { n: { type: number } }, required: [n] }
    assert: [{ that: 'output.n == iteration', message: wrong }]
result: '\${{ steps.r.output.n }}'
`),
  ).run();
  expect(ran).toMatchObject({ status: 'done', result: 1 });
});

it('names the first failed step in the order of the file, whichever failed first', async () => {
  const ran = await project(
    plan(`  - id: a
    shell: { run: 'sleep 0.5; exit 1' }
  - id: b
    needs: []
    shell: { run: 'exit 2' }
`),
  ).run();
  expect(ran.message).toContain('step "a"');
});

it('fails a loop with fewer items than must succeed, even if all did', async () => {
  const ran = await project(
    plan(`  - id: e\n    foreach: [1, 2]\n    min_success: 3\n    set: { x: '\${{ item }}' }\n`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.min_success' } });
});

const ONCE = (items: string) =>
  plan(`  - id: send
    foreach: [${items}]
    max_parallel: 1
    effect: once
    shell: { run: 'echo "$X" >> "$PIPELINE_PROJECT_DIR/sent"', env: { X: '\${{ item }}' } }
`);

it('asks before it repeats an interrupted effect, also of an item that has moved', async () => {
  const it = project(ONCE('a, b'));
  const first = await it.run();
  crashBefore(first, 'step_done', 'send/1');
  it.write('pipeline.yaml', ONCE('n, a, b')['pipeline.yaml']);
  const waiting = await it.run({ resume: true });
  expect(waiting).toMatchObject({ status: 'waiting', exit: 7, message: expect.stringContaining('send/2') });
  expect(it.read('sent')).toBe('a\nb\nn\n');
  const told = await it.run({ resume: true, retryUnknown: true });
  expect(told.status).toBe('done');
  expect(it.read('sent')).toBe('a\nb\nn\nb\n');
});

it('asks before it repeats an interrupted effect of an item, also where the step was changed meanwhile', async () => {
  const it = project(ONCE('a, b'));
  const first = await it.run();
  crashBefore(first, 'step_done', 'send/1');
  it.write('pipeline.yaml', ONCE('a, b')['pipeline.yaml'].replace('echo "$X"', 'echo "again $X"'));
  const waiting = await it.run({ resume: true });
  expect(waiting).toMatchObject({ status: 'waiting', exit: 7, message: expect.stringContaining('send/1') });
  expect(it.read('sent')).toBe('a\nb\nagain a\n');
  expect((await it.run({ resume: true, retryUnknown: true })).status).toBe('done');
  expect((await it.run({ resume: true })).status).toBe('done');
  expect(it.read('sent')).toBe('a\nb\nagain a\nagain b\n');
});

it('gives an item that moved the same idempotency key, and two equal items different ones', async () => {
  const text = (items: string) =>
    plan(
      `  - id: e\n    foreach: [${items}]\n    max_parallel: 1\n    cache: false\n    shell: { run: 'echo "$PIPELINE_STEP_KEY"', env: { X: '\${{ item }}' } }\nresult: '\${{ steps.e.output }}'\n`,
    );
  const it = project(text('a, a, b'));
  const [first, second, b] = (await it.run()).result as string[];
  expect(new Set([first, second, b]).size).toBe(3);
  it.write('pipeline.yaml', text('n, a, a, b')['pipeline.yaml']);
  expect(((await it.run({ resume: true })).result as string[]).slice(1)).toEqual([first, second, b]);
});

it('refuses values that a kind does not take, when expressions have come to them', async () => {
  const ran = await project(
    plan(
      `  - id: a\n    shell: { run: 'echo "$S"', env: { S: '\${{ query }}' } }\n  - id: b\n    when: 'steps.a.output != ""'\n    end: { outcome: x, status: '\${{ steps.a.output }}' }\n`,
    ),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.expression' } });
  expect(ran.message).toMatch(/status/);
});

it.each(['timeout: 200ms', 'idle_timeout: 200ms', 'timeout: 200ms\n    retry: { attempts: 3, backoff: 1ms }'])(
  'an effect: once step that is ended by %s is neither repeated nor failed: a person is asked',
  async (time) => {
    const it = project({
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    effect: once
    ${time}
    shell: { run: 'echo x >> "$PIPELINE_PROJECT_DIR/log.txt"; test -f "$PIPELINE_PROJECT_DIR/go" || sleep 60' }
`,
    });
    const first = await it.run();
    expect(first).toMatchObject({ status: 'waiting', exit: 7 });
    expect(JSON.stringify(first.events)).toContain('was cut short');
    expect(await it.run({ resume: true })).toMatchObject({ status: 'waiting' });
    expect(it.read('log.txt')).toBe('x\n');
    it.write('go', '');
    expect(await it.run({ resume: true, retryUnknown: true })).toMatchObject({ status: 'done' });
    expect(it.read('log.txt')).toBe('x\nx\n');
  },
);

it.each([
  [
    'on_error: continue',
    'g, foreach: [a, b], min_success: 1, on_error: continue, repeat: { until: output == "z", max: 2, on_max: fail }',
  ],
  [
    'an item that is lost',
    'g, foreach: [q, b], min_success: 1, repeat: { until: output == item, max: 2, on_max: fail }',
  ],
])('a run is partial when a loop ran out of rounds, also before an end that says done: %s', async (_how, step) => {
  const text = `version: 1
name: t
steps:
  - { id: ${step}, shell: { command: [echo, q] } }
  - { id: e, end: { outcome: ok, status: done, message: fine } }
`;
  const ran = await project({ 'pipeline.yaml': text }).run();
  expect(ran).toMatchObject({ status: 'partial', exit: 8, outcome: 'ok' });
  expect(ran.events.at(-1)).toMatchObject({ census: { failed: _how === 'on_error: continue' ? 2 : 1 } });
});

it.each([
  [
    'fails',
    'shell: { run: \'test $ROUND = 0 && echo a > a.txt\', env: { ROUND: "${{ iteration }}" } }, on_error: continue',
  ],
  ['is skipped', "when: iteration == 0, shell: { run: 'echo a > a.txt' }"],
])('steps in a repeat publish their last round: what one left that %s there goes', async (_how, step) => {
  const text = `version: 1
name: t
steps:
  - id: r
    repeat: { until: iteration == 1, max: 3 }
    steps:
      - { id: a, ${step} }
      - { id: b, shell: { run: 'echo b > b.txt' } }
`;
  const it = project({ 'pipeline.yaml': text });
  const ran = await it.run();
  expect(ran.files()).not.toContain('a.txt');
  expect(ran.files()).toContain('b.txt');
  expect((await it.run({ resume: true })).files()).not.toContain('a.txt');
});
