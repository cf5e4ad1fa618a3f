import { getEventListeners } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Command } from '../../src/core/context.js';
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES, MAX_OUTPUT_BYTES } from '../../src/process/capture.js';
import { findLeftovers } from '../../src/process/group.js';
import { createProcesses } from '../../src/process/run.js';
import { project, type TestProject } from '../support/project.js';
import { type Running, type RunProgram, runProgram } from '../support/run-program.js';

let programs: RunProgram;
beforeAll(async () => {
  programs = await runProgram();
});
afterAll(() => programs.remove());

const shell = (run: string, more = '') => ({
  'pipeline.yaml': `version: 1
name: t
permissions: { read: [.], write: [.] }
steps:
  - id: a
    ${more}
    shell:
      cwd: \${{ project.dir }}
      run: ${JSON.stringify(run)}
result: \${{ steps.a.output }}
`,
});

/** Says that it is ready when its processes are there; the second time it only says that it went on. */
const TREE = `
if [ -e go ]; then echo went on; exit; fi
sleep 300 & (sleep 300 & sleep 300) & setsid sleep 300 &
touch ready
wait`;

const runDir = (at: TestProject) => join(at.dir, 'skill_run/t/a-query');
const runJson = (at: TestProject) => JSON.parse(readFileSync(join(runDir(at), 'run.json'), 'utf8'));
/** Processes of the run that is there. */
const leftOf = (at: TestProject) => findLeftovers(runJson(at).run);

async function ready(at: TestProject, { child }: Running): Promise<void> {
  onTestFinished(() => {
    child.kill('SIGKILL');
    for (const pid of leftOf(at)) process.kill(pid, 'SIGKILL');
  });
  while (!existsSync(join(at.dir, 'ready'))) await wait(10);
  expect(leftOf(at).length).toBeGreaterThanOrEqual(4);
}

describe.each([
  ['proc-01', 'SIGINT', 130],
  ['proc-06', 'SIGTERM', 143],
  ['proc-06', 'SIGHUP', 129],
] as const)('%s: %s while a shell step runs a tree of processes', (_, signal, code) => {
  it('ends the run with its own code and leaves no process; the run can be resumed', async () => {
    const at = project(shell(TREE));
    const run = programs.start(at.dir);
    await ready(at, run);
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ code, signal: null });
    expect(leftOf(at)).toEqual([]);
    expect(runJson(at)).toMatchObject({ status: 'cancelled', exit: code });
    at.write('go', '');
    expect(await programs.start(at.dir, { resume: true }).ended).toMatchObject({ code: 0, report: { status: 'done' } });
  });
});

it('proc-06: after kill -9 the next start says what was left and ends it', async () => {
  const at = project(shell(TREE));
  const run = programs.start(at.dir);
  await ready(at, run);
  const left = leftOf(at).length;
  run.child.kill('SIGKILL');
  await run.ended;
  at.write('go', '');
  const { code, report } = await programs.start(at.dir, { resume: true }).ended;
  expect({ code, left: leftOf(at) }).toEqual({ code: 0, left: [] });
  expect(report?.notices).toEqual([
    `ended ${left} processes that the interrupted run had left`,
    `took over from process ${run.child.pid}, which ended without finishing`,
  ]);
});

it('proc-06: the death of the shell that started it does not end a run in the middle', async () => {
  const at = project(shell('touch ready; until [ -e go ]; do sleep 0.05; done; echo went on'));
  const run = programs.start(at.dir, {}, (argv) => ['bash', '-c', '"$@" & wait', 'bash', ...argv]);
  onTestFinished(() => {
    run.child.kill('SIGKILL');
  });
  while (!existsSync(join(at.dir, 'ready'))) await wait(10);
  run.child.kill('SIGKILL');
  at.write('go', '');
  expect(await run.ended).toMatchObject({ signal: 'SIGKILL', report: { status: 'done' } });
});

it('proc-03: a background child that keeps the pipe open is not waited for, and is ended', async () => {
  const at = project(shell('sleep 300 & echo hi'));
  expect(await at.run()).toMatchObject({ status: 'done', result: 'hi' });
  expect(leftOf(at)).toEqual([]);
});

it.each(['sleep 60; echo x', "trap '' TERM; while :; do sleep 0.2; done"])(
  'proc-04: %s under a timeout fails as step.timeout and leaves no process',
  async (script) => {
    const at = project(shell(script, 'timeout: 1s'));
    const ran = await at.run();
    expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'step.timeout' } });
    expect(leftOf(at)).toEqual([]);
  },
);

it.each([
  ['cat', 'done', ''],
  ['read x || echo "got:$x"', 'done', 'got:'],
  ["python3 -c 'input()' 2>&1 || echo ended", 'done', expect.stringContaining('EOFError')],
])('proc-07: %s finds no input and ends at once', async (script, status, result) => {
  expect(await project(shell(script)).run()).toMatchObject({ status, result });
});

describe('proc-09, at 300 MB instead of 5 GB', () => {
  const LOUD_BYTES = 300_000_000;

  it.each([
    ['lines', `yes | head -c ${LOUD_BYTES}`],
    ['one line', `head -c ${LOUD_BYTES} /dev/zero | tr '\\0' x`],
  ])('%s: the command is not killed, head and tail are kept, memory stays bounded', async (_, script) => {
    const { run, dir } = commands();
    const before = process.memoryUsage().rss;
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss);
    }, 20);
    const exit = await run(['bash', '-c', `${script}; echo END`]);
    clearInterval(watch);
    expect(exit).toMatchObject({ code: 0, truncated: true });
    expect(exit.stdout.length).toBe(MAX_OUTPUT_BYTES);
    expect(highest - before).toBeLessThan(300 * 1024 * 1024);
    const log = readFileSync(join(dir, 'stdout.log'));
    expect(log.length).toBeLessThan(LOG_HEAD_BYTES + LOG_TAIL_BYTES + 100);
    expect(log.subarray(-4).toString()).toBe('END\n');
    expect(log.subarray(LOG_HEAD_BYTES, LOG_HEAD_BYTES + 60).toString()).toContain(
      `${LOUD_BYTES + 4 - LOG_HEAD_BYTES - LOG_TAIL_BYTES} bytes left out`,
    );
  });

  it('an output that is cut is no output: the step says so', async () => {
    const at = project(shell(`head -c ${MAX_OUTPUT_BYTES + 1} /dev/zero | tr '\\0' x`));
    expect(await at.run()).toMatchObject({
      status: 'failed',
      fault: { code: 'shell.output', message: expect.stringContaining('64 MB') },
    });
  });
});

it('proc-11: a command that fails before a pipe fails the step, unless the script says otherwise', async () => {
  expect(await project(shell('false | cat')).run()).toMatchObject({ status: 'failed', fault: { code: 'shell.exit' } });
  expect(await project(shell('set +o pipefail; false | cat; echo on')).run()).toMatchObject({ result: 'on' });
});

it('proc-12: a script with CRLF line ends means the same, in quotes or in a file that has them throughout', async () => {
  const quoted = project(shell('set -e\r\nif true; then\r\n  echo a\r\nfi\r\n'));
  expect(await quoted.run()).toMatchObject({ status: 'done', result: 'a' });
  const block =
    'version: 1\nname: t\nsteps:\n  - id: a\n    shell:\n      run: |\n        if true; then\n          echo a\n        fi\n';
  const throughout = project({ 'pipeline.yaml': `${block}result: \${{ steps.a.output }}\n`.replaceAll('\n', '\r\n') });
  expect(await throughout.run()).toMatchObject({ status: 'done', result: 'a' });
});

it('proc-14, with 60 commands: they leave no listener on the signal that they share, and no warning', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  const { run } = commands();
  const { signal } = new AbortController();
  const most: number[] = [];
  for (let i = 0; i < 6; i++) {
    const batch = Array.from({ length: 10 }, () => run(['true'], { signal }));
    await Promise.all(batch);
    most.push(getEventListeners(signal, 'abort').length);
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  expect(most).toEqual(Array(6).fill(0));
  expect(warnings).toEqual([]);
});

it.each(['000', '077'])('under umask %s, all that a run makes is for its owner alone', async (umask) => {
  const pipeline = 'version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: echo x > a.txt }, save: out.txt }\n';
  const at = project({ 'pipeline.yaml': pipeline });
  const wrap = (argv: readonly string[]) => ['bash', '-c', `umask ${umask}; exec "$@"`, 'bash', ...argv];
  expect(await programs.start(at.dir, {}, wrap).ended).toMatchObject({ code: 0 });
  const mode = (path: string) => (statSync(join(at.dir, 'skill_run', path)).mode & 0o777).toString(8);
  const folders = ['.', 't', 't/a-query', 't/a-query/.steps', 't/a-query/.steps/.blobs'];
  expect(folders.map(mode)).toEqual(folders.map(() => '700'));
  const files = ['pipeline.log', ...['events.ndjson', 'run.json', 'a.txt', 'out.txt'].map((file) => `a-query/${file}`)];
  expect(files.map((file) => mode(`t/${file}`))).toEqual(files.map(() => '600'));
});

function commands() {
  const dir = mkdtempSync(join(tmpdir(), 'process-'));
  const processes = createProcesses({ marker: `case-${process.pid}-${dir.slice(-6)}` });
  onTestFinished(async () => {
    await processes.endAll(true);
    rmSync(dir, { recursive: true, force: true });
  });
  const run = (argv: readonly string[], more: Partial<Command> = {}) =>
    processes.run({
      step: 'a',
      work: dir,
      argv,
      env: { PATH: process.env.PATH ?? '' },
      cwd: dir,
      signal: new AbortController().signal,
      stdoutFile: join(dir, 'stdout.log'),
      stderrFile: join(dir, 'stderr.log'),
      ...more,
    });
  return { run, dir };
}
