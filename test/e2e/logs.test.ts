import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { type Started, seen, workspace } from '../support/cli.js';

const WAITS = `version: 1
name: t
steps:
  - id: first
    shell: { run: 'echo one; echo two >&2; until test -e "$GO"; do sleep 0.02; done; printf three', env: { GO: '\${{ inputs.go }}' } }
  - id: second
    shell: { run: 'echo four' }
inputs:
  go: { type: string }
`;

/** A run that goes on until `go()`. */
function waitingRun(env: Readonly<Record<string, string>> = {}) {
  const place = workspace();
  place.write('pipeline.yaml', WAITS);
  const file = join(place.dir, 'go');
  const run = place.start(['run', 'pipeline.yaml', 'a query', '-i', `go=${file}`], env);
  const isBegun = () => place.has('skill_run/t/a-query/.steps/first/stdout.log');
  return { place, run, begun: () => seen(isBegun), go: () => writeFileSync(file, '') };
}

function heard({ child }: Started): () => string {
  let text = '';
  child.stdout?.on('data', (more: string) => {
    text += more;
  });
  return () => text;
}

it('tells what happened, a line a record with its time and step, without a byte that a terminal would obey', async () => {
  const place = workspace();
  place.write(
    'pipeline.yaml',
    `version: 1
name: t
steps:
  - id: loud
    shell: { run: 'printf "a\\033[31mb\\n\\033]0;x\\007"; exit 3' }
`,
  );
  await place.pipeline(['run', 'pipeline.yaml', 'red \u001b[31m query', '-q']);
  const { code, stdout, stderr } = await place.pipeline(['logs', 't/latest']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^── \d{4}-\d\d-\d\d \(UTC\)\n/);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d +t\/red-31m-query began: red {2}query$/m);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d {2}loud +began$/m);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d {2}loud +✗ failed after \d+ ms: shell\.exit: the command exited with 3/m);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d +✗ failed, 0 of 1 step done, /m);
  const step = await place.pipeline(['logs', 't/latest', 'loud']);
  expect(step.stdout).toContain('  stdout    │ a\\u001b[31mb\n            │ \\u001b]0;x\\u0007\n');
  expect((stdout + step.stdout).includes('\u001b')).toBe(false);
});

it('tells what a step was told and said in order, each attempt with its own', async () => {
  const place = workspace();
  place.write(
    'turns.yaml',
    `a:
  - { text: 'Let me see.', calls: [{ name: list_files, arguments: {} }] }
  - { calls: [{ name: resolve, arguments: { n: no } }] }
  - { calls: [{ name: resolve, arguments: { n: 7 } }] }
`,
  );
  place.write(
    'pipeline.yaml',
    `version: 1
name: t
steps:
  - id: a
    agent: { prompt: 'Count.', tools: [list_files] }
    output: { type: object, properties: { n: { type: integer } }, required: [n] }
  - id: twice
    retry: { attempts: 2, backoff: 10ms }
    shell: { run: 'test -e "$F" && { echo right; exit 0; }; touch "$F"; echo wrong; exit 1', env: { F: '\${{ inputs.seen }}' } }
inputs:
  seen: { type: string }
`,
  );
  const ran = await place.pipeline([
    'run',
    'pipeline.yaml',
    'q',
    '-q',
    '--model',
    'script:turns.yaml',
    '-i',
    `seen=${join(place.dir, 'seen')}`,
  ]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { stdout } = await place.pipeline(['logs', 't/q', 'a']);
  const order = [
    /a +began$/m,
    /^ {2}system +│ /m,
    /^ {2}user +│ Count\.$/m,
    /^ {2}model +│ Let me see\.$/m,
    /^ {2}call +│ list_files \{\}$/m,
    /^ {2}result +│ work folder: 0 files$/m,
    /a +round 1: /m,
    /^ {2}call +│ resolve \{"n":"no"\}$/m,
    /^ {2}error +│ /m,
    /a +round 2: /m,
    /^ {2}call +│ resolve \{"n":7\}$/m,
    /^ {2}result +│ accepted$/m,
    /a +round 3: /m,
    /a +✓ done in /m,
  ].map((pattern) => stdout.search(pattern));
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  const { stdout: twice } = await place.pipeline(['logs', 't/q', 'twice']);
  expect(twice).toMatch(/wrong\n.*tried again in [\s\S]*attempt 2\n.*right\n.*✓ done/);
});

it('-f tells a run of another process as it goes on, and ends with it', async () => {
  const { place, run, begun, go } = waitingRun();
  await begun();
  const all = place.start(['logs', 't/latest', '-f']);
  const lines = heard(all);
  const step = place.start(['logs', 't/latest', 'first', '-f']);
  const content = heard(step);
  await seen(() => /first +began/.test(lines()));
  await seen(() => /stdout +│ one/.test(content()) && /stderr +│ two/.test(content()));
  expect(lines()).not.toContain('second');
  go();
  expect((await run.ended).code).toBe(0);
  const ended = await all.ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/second +✓ done in [\s\S]*✓ done, 2 of 2 steps done/);
  const said = await step.ended;
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toMatch(/│ three\n.*first +✓ done/);
  expect(said.stdout.match(/│ one/g)).toHaveLength(1);
});

it('-f ends with Ctrl-C, or when its reader leaves, and the run goes on', async () => {
  const { place, run, begun, go } = waitingRun();
  await begun();
  const follower = place.start(['logs', 't/latest', '-f']);
  const lines = heard(follower);
  await seen(() => lines().includes('began'));
  follower.child.kill('SIGINT');
  expect(await follower.ended).toMatchObject({ code: 130, stderr: '' });
  const piped = place.bash('pipeline logs t/latest -f | head -1');
  await seen(() => place.has('skill_run/t/a-query/.lock'));
  go();
  expect(await run.ended).toMatchObject({ code: 0 });
  expect(await piped).toMatchObject({ code: 0, stderr: '' });
});

it('-f tells of a run whose process was killed how it is gone on with, and then what the resume does', async () => {
  const { place, run, begun, go } = waitingRun();
  await begun();
  const follower = place.start(['logs', 't/latest', '-f']);
  run.child.kill('SIGKILL');
  await run.ended;
  const ended = await follower.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(
    /^interrupted: no process works on it any more\n {2}go on {2}pipeline resume t\/a-query /,
  );
  go();
  expect(await place.pipeline(['resume', 't/latest', '-q'])).toMatchObject({ code: 0 });
  const { stdout } = await place.pipeline(['logs', 't/latest', '-f']);
  expect(stdout).toMatch(
    /first +began[\s\S]*resumed by process \d+[\s\S]*first +began[\s\S]*✓ done, 2 of 2 steps done/,
  );
});

it('--json is one document, and with -f one entry a line', async () => {
  const { place, run, begun, go } = waitingRun();
  await begun();
  const follower = place.start(['logs', 't/latest', 'first', '-f', '--json']);
  go();
  await run.ended;
  const lines = (await follower.ended).stdout.trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { type: string; record?: Recorded });
  expect(entries[0]).toMatchObject({ type: 'record', record: { type: 'step_started', path: 'first' } });
  expect(entries).toContainEqual({
    type: 'content',
    step: 'first',
    attempt: 1,
    content: { type: 'output', from: 'stderr', text: 'two\n' },
  });
  expect(entries.at(-1)).toMatchObject({ record: { type: 'step_done' } });
  const { stdout } = await place.pipeline(['logs', 't/latest', '--json']);
  const document = JSON.parse(stdout) as { entries: { record: Recorded }[] };
  expect(document).toMatchObject({ run: 't/a-query', dir: expect.stringMatching(/a-query$/), status: 'done' });
  expect(document.entries.map(({ record }) => record.seq)).toEqual(document.entries.map((_, at) => at + 1));
});

it('names the steps there are for one that is not there, as text and as JSON', async () => {
  const place = workspace();
  place.write('pipeline.yaml', 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\n');
  await place.pipeline(['run', 'pipeline.yaml', 'q', '-q']);
  const ran = await place.pipeline(['logs', 't/q', 'b', '--json']);
  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    status: 'error',
    exit: 2,
    fault: { code: 'input.unknown', hint: 'Steps: a' },
  });
  expect(ran.stderr).toContain('the run has no step "b"');
});
