import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AtEnd, isAlive, type Started, seen, type Workspace, workspace } from '../support/cli.js';

const RUN = 'slow/a-query';
const ARGS = ['run', 'slow.yaml', 'a query', '--quiet'];

interface Working {
  readonly place: Workspace;
  readonly run: Started;
  readonly pids: readonly number[];
}

/** A run at work: a shell step with two children, one in a session of its own. */
async function working(atEnd: AtEnd): Promise<Working> {
  const place = workspace('exit-codes', atEnd);
  const run = place.start(ARGS);
  await seen(() => place.has('ready'));
  const pids = place.read('pids').trim().split('\n').map(Number);
  expect(pids).toHaveLength(3);
  atEnd(() => {
    run.child.kill('SIGKILL');
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { place, run, pids };
}

async function kill({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

describe.concurrent('pipeline stop', () => {
  it('ends the session and all its processes from another process; the run can be resumed', async ({
    onTestFinished,
  }) => {
    const { place, run, pids } = await working(onTestFinished);
    const stopped = await place.pipeline(['stop', RUN]);
    expect(stopped).toEqual({
      code: 0,
      signal: null,
      stdout: '',
      stderr: `✓ ${RUN}: process ${run.child.pid} has ended, the run is cancelled.\n  go on  pipeline resume ${RUN} --no-detect\n`,
    });
    expect((await run.ended).code).toBe(143);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(JSON.parse(place.read(`skill_run/${RUN}/run.json`))).toMatchObject({ status: 'cancelled', exit: 143 });
    expect(place.has(`skill_run/${RUN}/.lock`)).toBe(false);
    place.write('go', '');
    const resumed = await place.pipeline(['resume', RUN]);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).not.toContain('took over');
  });

  it('ends one that was halted, and says what it came to as JSON', async ({ onTestFinished }) => {
    const { place, run, pids } = await working(onTestFinished);
    run.child.kill('SIGSTOP');
    const stopped = await place.pipeline(['stop', RUN, '--json']);
    expect(stopped.code).toBe(0);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      run: RUN,
      stopped: true,
      pid: run.child.pid,
      killed: false,
      resume: `pipeline resume ${RUN} --no-detect`,
    });
    await run.ended;
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('ends what a session has left that was killed, and then has nothing more to stop', async ({ onTestFinished }) => {
    const { place, run, pids } = await working(onTestFinished);
    await kill(run);
    expect(pids.filter(isAlive)).toEqual([...pids]);
    const first = await place.pipeline(['stop', RUN]);
    expect(first).toMatchObject({
      code: 0,
      stderr: `✓ No process works on ${RUN}: it is interrupted.\n  ended 3 processes that it had left\n  go on  pipeline resume ${RUN} --no-detect\n`,
    });
    expect(pids.filter(isAlive)).toEqual([]);
    const second = await place.pipeline(['stop', RUN]);
    expect(second).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `✗ No process works on ${RUN}: it is interrupted.\n  go on  pipeline resume ${RUN} --no-detect\n`,
    });
  });

  it('never signals another process that got the pid of the one that has died', async ({ onTestFinished }) => {
    const { place, run } = await working(onTestFinished);
    await kill(run);
    const other = spawn('sleep', ['300'], { stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    const lock = `skill_run/${RUN}/.lock`;
    place.write(lock, JSON.stringify({ ...JSON.parse(place.read(lock)), pid: other.pid }));
    const stopped = await place.pipeline(['stop', RUN, '--now', '--json']);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ stopped: false, pid: null, endedProcesses: 3 });
    expect(isAlive(other.pid as number)).toBe(true);
  });

  it('signals nobody on this machine for a session on another one', async ({ onTestFinished }) => {
    const { place, run } = await working(onTestFinished);
    const lock = `skill_run/${RUN}/.lock`;
    const own = place.read(lock);
    place.write(lock, JSON.stringify({ ...JSON.parse(own), boot: 'other', host: 'elsewhere' }));
    const stopped = await place.pipeline(['stop', RUN]);
    expect(stopped.code).toBe(75);
    expect(stopped.stderr).toContain(`process ${run.child.pid} on elsewhere`);
    expect(isAlive(run.child.pid as number)).toBe(true);
    place.write(lock, own);
    expect((await place.pipeline(['stop', RUN, '--now'])).code).toBe(0);
    await run.ended;
  });

  it('has nothing to stop where the run is done, and no way to go on to name', async ({ onTestFinished }) => {
    const place = workspace('exit-codes', onTestFinished);
    place.write('go', '');
    expect((await place.pipeline(ARGS)).code).toBe(0);
    const before = readFileSync(`${place.dir}/skill_run/${RUN}/run.json`, 'utf8');
    const stopped = await place.pipeline(['stop', RUN, '--json']);
    expect(stopped.code).toBe(1);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ status: 'done', stopped: false, resume: null });
    expect(place.read(`skill_run/${RUN}/run.json`)).toBe(before);
    expect((await place.pipeline(['stop', 'slow/nothing'])).code).toBe(2);
  });
});
