/** Items with `effect: once` of which an attempt was cut off, when they move, change, are alike, are forked, and a person speaks of them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project, type Ran } from '../support/project.js';

const sending = (items: string, { parallel = 1, echo = 'echo "$X"' } = {}) => `version: 1
name: t
steps:
  - id: send
    foreach: [${items}]
    max_parallel: ${parallel}
    effect: once
    shell: { run: '${echo} >> "$PIPELINE_PROJECT_DIR/sent"', env: { X: '\${{ item }}' } }
`;

/** As if the process had been killed before it recorded the first of this. */
function crashBefore(ran: Ran, type: string, path?: string): void {
  const file = join(ran.dir, 'events.ndjson');
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const at = lines.findIndex((line) => {
    const event = JSON.parse(line) as { type: string; path?: string };
    return event.type === type && (path === undefined || event.path === path);
  });
  writeFileSync(file, `${lines.slice(0, at).join('\n')}\n`);
}

const asked = (ran: Ran) => ran.events.flatMap((event) => (event.type === 'step_waiting' ? [event.path] : []));

async function interrupted(items: string, at: string | undefined, parallel = 1) {
  const it = project({ 'pipeline.yaml': sending(items, { parallel }) });
  const first = await it.run();
  crashBefore(first, 'step_done', at);
  const edit = (to: string, echo?: string) =>
    it.write('pipeline.yaml', sending(to, echo === undefined ? {} : { echo }));
  return { it, first, edit };
}

it('a word on an item that took the place of an interrupted one says nothing of the one that moved', async () => {
  const { it, edit } = await interrupted('a, b', 'send/1');
  edit('a, n, b');
  const first = await it.run({ resume: true });
  expect(asked(first)).toEqual(['send/1', 'send/2']);
  expect(first.message).toContain('as this item or as another one that stood there');
  const named = await it.run({ resume: true, assumeDone: { step: 'send/1' } });
  expect(named.status).toBe('waiting');
  expect(asked(named)).toEqual(['send/2']);
  expect(asked(await it.run({ resume: true }))).toEqual(['send/2']);
  expect(it.read('sent')).toBe('a\nb\n');
});

it('a word without a name is not taken for an item that may be another one', async () => {
  const { it, edit } = await interrupted('a, b', 'send/1');
  edit('a, n, b');
  const ran = await it.run({ resume: true, assumeDone: {} });
  expect(asked(ran)).toEqual(['send/1']);
  expect(ran.message).toContain('"send/1" may be another item than the one that was interrupted there: name it');
  expect((await it.run({ resume: true, retryUnknown: true })).status).toBe('done');
  expect(it.read('sent')).toBe('a\nb\nn\n');
});

it('two interrupted items that change places are both asked about until each is settled', async () => {
  const { it, edit } = await interrupted('a, b', undefined, 2);
  edit('b, a');
  expect(asked(await it.run({ resume: true, assumeDone: { step: 'send/0' } }))).toEqual(['send/1']);
  expect(asked(await it.run({ resume: true }))).toEqual(['send/1']);
  expect((it.read('sent') ?? '').split('\n').sort().join('')).toBe('ab');
});

it('the interrupted one of two equal items is asked about although the other is taken again', async () => {
  const { it } = await interrupted('x, x', 'send/1');
  expect(asked(await it.run({ resume: true }))).toEqual(['send/1']);
  expect(it.read('sent')).toBe('x\nx\n');
});

it('a kill between two repeated items leaves the second to be asked about', async () => {
  const { it, edit } = await interrupted('a, b', 'send/1');
  edit('a, n, b');
  const second = await it.run({ resume: true, retryUnknown: true });
  crashBefore(second, 'step_started', 'send/2');
  expect(asked(await it.run({ resume: true }))).toEqual(['send/2']);
});

it('what was settled in a fork is not asked about again, however the step is changed', async () => {
  const { it, first, edit } = await interrupted('a, b', 'send/1');
  const fork = await it.run({ fork: { dir: first.dir } });
  expect(asked(fork)).toEqual(['send/1']);
  const resume = { dir: fork.dir };
  expect((await it.run({ resume, retryUnknown: true })).status).toBe('done');
  edit('a, b', 'echo "again $X"');
  expect((await it.run({ resume })).status).toBe('done');
  expect(it.read('sent')).toBe('a\nb\nb\nagain a\nagain b\n');
});

it('a fork that was killed before its first record is still one, and begins at the step that was named', async () => {
  const steps = 'version: 1\nname: t\nsteps:\n  - { id: a, set: { x: 1 } }\n  - { id: b, set: { x: 2 } }\n';
  const it = project({ 'pipeline.yaml': steps });
  const first = await it.run();
  const fork = await it.run({ fork: { dir: first.dir }, from: 'b' });
  writeFileSync(join(fork.dir, 'events.ndjson'), '');
  const again = await it.run({ resume: { dir: fork.dir } });
  expect(again.status).toBe('done');
  expect(again.events.find(({ type }) => type === 'run_started')).toMatchObject({ fork: { from: 'b' } });
  expect(JSON.parse(readFileSync(join(fork.dir, 'run.json'), 'utf8'))).toMatchObject({ fork: { from: 'b' } });
  expect(again.events.flatMap((event) => (event.type === 'step_started' ? [event.path] : []))).toContain('b');
});

it('a run whose journal is gone is left as it is by a resume that is refused', async () => {
  const it = project({
    'pipeline.yaml':
      "version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: 'echo a > a.txt' }, artifacts: [a.txt] }\n",
  });
  const first = await it.run();
  rmSync(join(first.dir, 'events.ndjson'));
  await it.run({ resume: { dir: first.dir }, goOn: { step: 'a', rounds: 0 } }).catch(() => undefined);
  expect(existsSync(join(first.dir, 'a.txt'))).toBe(true);
});

it('of equal items the one that failed runs again, the one that is done stays, the one that was cut off is asked about', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: l
    foreach: [a, b, c]
    max_parallel: 1
    min_success: 0
    steps:
      - id: post
        effect: once
        timeout: 500ms
        shell: { run: 'cd "$PIPELINE_PROJECT_DIR"; echo x >> sent; case $(wc -l < sent) in 1) exit 2 ;; 3) sleep 20 ;; esac' }
`,
  });
  const first = await it.run();
  expect(first.status).toBe('waiting');
  const again = await it.run({ resume: true });
  expect(asked(again)).toEqual(['l/2/post']);
  expect(again.events.flatMap((event) => (event.type === 'step_reused' ? [event.path] : []))).toEqual(['l/1/post']);
  expect(it.read('sent')).toBe('x\nx\nx\nx\n');
});
