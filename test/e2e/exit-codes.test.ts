import { expect, it, onTestFinished } from 'vitest';
import { resolve } from '../support/chat.js';
import { isAlive, type Ran, seen, type Workspace, workspace } from '../support/cli.js';
import { errorReply, mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

const QUERY = 'a query';

it.concurrent.for<[string, number]>([
  ['done', 0],
  ['failed', 1],
  ['refused', 5],
  ['limit', 6],
  ['partial', 8],
])(
  'a run that is %s ends with %i, in --json and in run.json as well',
  async ([name, code], { onTestFinished: atEnd }) => {
    const place = workspace('exit-codes', atEnd);
    const ran = await place.pipeline(['run', `${name}.yaml`, QUERY, '--model', 'sketch', '--json', '--quiet']);
    expect(ran).toMatchObject({ code, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: name, exit: code });
    expect(JSON.parse(place.read(`skill_run/${name}/a-query/run.json`))).toMatchObject({ status: name, exit: code });
    expect(place.has(`skill_run/${name}/a-query/.lock`)).toBe(false);
  },
);

it('says of a failed step what it said, where its output is, and how to go on', async () => {
  const { stderr } = await workspace('exit-codes').pipeline(['run', 'failed.yaml', QUERY]);
  expect(stderr).toContain('step "breaks": the command exited with 9: no such luck');
  expect(stderr).toContain('.steps/breaks/stderr.log');
  expect(stderr).toContain('go on  pipeline resume failed/a-query');
});

it('prints a line that, typed as it stands, goes on with this run and no other', async () => {
  const place = workspace('exit-codes');
  const failed = await place.pipeline(['run', 'inputs.yaml', "it's a query", '--input', 'year=2024']);
  const line = failed.stderr.match(/go on {2}(pipeline .*)/)?.[1] ?? '';
  place.write('go', '');
  const again = await place.bash(line);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout.split('\n')[0]).toBe(failed.stdout.split('\n')[0]);
});

it('ends with 3 when the service refuses the key, after one call', async () => {
  const server = await mockServer([errorReply(401, { message: 'Incorrect API key' })]);
  onTestFinished(() => server.close());
  const ran = await workspace('exit-codes').pipeline(['run', 'agent.yaml', QUERY], askingAt(server.url));
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('Incorrect API key');
  expect(server.requests).toHaveLength(1);
});

it('ends with 3 when no server listens, and never falls back to the sketch', async () => {
  const ran = await workspace('exit-codes').pipeline(['run', 'agent.yaml', QUERY], askingAt('http://127.0.0.1:1/v1'));
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('The connection to 127.0.0.1:1 failed');
  expect(ran.stderr).not.toContain('sketch');
});

it('ends with 3, and makes no run folder, when the only model has no key', async () => {
  const place = workspace('exit-codes');
  const ran = await place.pipeline(['run', 'agent.yaml', QUERY, '--model', 'openai/m']);
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('OPENAI_API_KEY is not set');
  expect(place.has('skill_run')).toBe(false);
});

it('never says the key that it was given', async () => {
  const server = await mockServer([resolve({ answer: 'yes' })]);
  onTestFinished(() => server.close());
  const place = workspace('exit-codes');
  const key = 'sk-never-to-be-seen-0123456789';
  const ran = await place.pipeline(['run', 'agent.yaml', QUERY], { ...askingAt(server.url), OPENAI_API_KEY: key });
  expect(ran).toMatchObject({ code: 0 });
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  expect(ran.stdout + ran.stderr).not.toContain(key);
  expect(await place.bash(`grep -rl '${key}' .`)).toMatchObject({ code: 1, stdout: '' });
});

/** A run of slow.yaml that has its children, and the pids of these. */
async function running(place: Workspace) {
  const run = place.start(['run', 'slow.yaml', QUERY]);
  await seen(() => place.has('ready'));
  const pids = place.read('pids').trim().split('\n').map(Number);
  onTestFinished(() => {
    run.child.kill('SIGKILL');
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  expect(pids.filter(isAlive)).toHaveLength(3);
  return { run, pids };
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('ends with its own code on %s, leaves no process behind, and can be resumed', async (signal, code) => {
  const place = workspace('exit-codes');
  const { run, pids } = await running(place);
  run.child.kill(signal);
  const ran = await run.ended;
  expect(ran).toMatchObject({ code, signal: null });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(JSON.parse(place.read('skill_run/slow/a-query/run.json'))).toMatchObject({ status: 'cancelled', exit: code });
  expect(place.has('skill_run/slow/a-query/.lock')).toBe(false);
  place.write('go', '');
  const resumed = await place.pipeline(['run', 'slow.yaml', QUERY, '--resume', '--quiet']);
  expect(resumed).toMatchObject({ code: 0 });
  expect(resumed.stdout).toMatch(/\nwent\n$/);
});

it('ends at once on a second SIGINT, and leaves no process of a step that does not heed the first', async () => {
  const place = workspace('exit-codes');
  place.edit(
    'slow.yaml',
    '        touch ready\n        wait',
    "        trap 'touch asked' TERM\n        touch ready\n        while :; do sleep 1; done",
  );
  const { run, pids } = await running(place);
  run.child.kill('SIGINT');
  await seen(() => place.has('asked'));
  run.child.kill('SIGINT');
  expect(await run.ended).toMatchObject({ code: 130 });
  expect(pids.filter(isAlive)).toEqual([]);
});

it('ends with 75 and names the process when another one has the run', async () => {
  const place = workspace('exit-codes');
  const { run } = await running(place);
  const second = await place.pipeline(['run', 'slow.yaml', QUERY, '--resume']);
  expect(second.code).toBe(75);
  expect(second.stderr).toContain(`in use by pid ${run.child.pid}`);
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ code: 143 });
});

it.concurrent.for<[string, string[], string]>([
  ['an unknown command', ['frobnicate'], "unknown command 'frobnicate'"],
  ['an unknown option', ['run', 'done.yaml', '--frobnicate'], "unknown option '--frobnicate'"],
  ['a missing argument', ['run'], "missing required argument 'target'"],
  ['an unknown skill', ['run', 'nobody', QUERY], 'There is no skill "nobody"'],
  ['a missing file', ['run', './nobody.yaml', QUERY], 'There is no file or folder "./nobody.yaml"'],
  ['an unknown input', ['run', 'done.yaml', QUERY, '--input', 'yaer=2024'], 'yaer'],
  ['an input without a value', ['run', 'done.yaml', QUERY, '--input', 'year'], '--input year is not name=value'],
  [
    'a limit that is none',
    ['run', 'done.yaml', QUERY, '--limit', 'tokens=many'],
    '--limit tokens=many is not understood',
  ],
  ['no parallel steps', ['run', 'done.yaml', QUERY, '--max-parallel', '0'], '"0" is not a whole number above 0'],
  ['an unknown run', ['show', 'done/nothing', 'step'], 'nothing'],
])('ends with 2 for %s, says so, and runs nothing', async ([, args, text], { onTestFinished: atEnd }) => {
  const place = workspace('exit-codes', atEnd);
  const ran = await place.pipeline(args);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(text);
  expect(place.has('skill_run')).toBe(false);
});

it.concurrent.for<[string, string[], number]>([
  ['a mistake in the file', ['run', './nobody.yaml', QUERY], 2],
  ['no usable model', ['run', 'agent.yaml', QUERY, '--model', 'openai/m'], 3],
  ['an input without a value', ['run', 'done.yaml', QUERY, '--input', 'year'], 2],
  ['an unknown run', ['show', 'nobody'], 2],
])('prints one JSON document also for %s', async ([, args, code], { onTestFinished: atEnd }) => {
  const ran = await workspace('exit-codes', atEnd).pipeline([...args, '--json']);
  expect(ran.code).toBe(code);
  expect(documentIn(ran)).toBeTypeOf('object');
});

it('prints one JSON document also for a run that is in use', async () => {
  const place = workspace('exit-codes');
  await running(place);
  const second = await place.pipeline(['run', 'slow.yaml', QUERY, '--resume', '--json']);
  expect(second.code).toBe(75);
  expect(documentIn(second)).toMatchObject({ exit: 75 });
});

function documentIn(ran: Ran): unknown {
  return JSON.parse(ran.stdout);
}

it.each([[['--help']], [['help']]])('answers %j with 0 and its examples first', async (args) => {
  const ran = await workspace().pipeline(args);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^Examples:\n {2}pipeline run /);
  expect(ran.stdout.indexOf('Usage:')).toBeGreaterThan(0);
});

it('answers --version with 0', async () => {
  expect(await workspace().pipeline(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
