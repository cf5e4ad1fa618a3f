import { spawn, spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../src/core/context.js';
import { Fault } from '../../src/core/faults.js';
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES } from '../../src/process/capture.js';
import { findLeftovers } from '../../src/process/group.js';
import { listProcesses } from '../../src/process/process-table.js';
import { createProcesses, type RunProcesses, within } from '../../src/process/run.js';
import { inTurn } from '../../src/process/turn.js';

let dir: string;
let marker: string;
let processes: RunProcesses;
let count = 0;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'process-'));
  marker = `test-${process.pid}-${count++}`;
  processes = createProcesses({ marker });
});
afterEach(async () => {
  await processes.endAll(true);
  rmSync(dir, { recursive: true, force: true });
});

const never = new AbortController().signal;

function command(argv: readonly string[], more: Partial<Command> = {}): Command {
  const files = { stdoutFile: join(dir, 'stdout.log'), stderrFile: join(dir, 'stderr.log') };
  return {
    step: 'a',
    work: dir,
    argv,
    env: { PATH: process.env.PATH ?? '' },
    cwd: dir,
    signal: never,
    ...files,
    ...more,
  };
}
const bash = (script: string, more: Partial<Command> = {}) =>
  processes.run(command(['bash', '--noprofile', '--norc', '-c', script], more));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
async function faultOf(run: Promise<unknown>): Promise<Fault> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Fault) return error;
  throw new Error(`expected a fault, got ${String(error)}`);
}
/** Aborts once the script has printed something, so that what it started is there. */
async function abortWhenReady(script: string, reason: unknown): Promise<Fault> {
  const controller = new AbortController();
  const run = faultOf(bash(script, { signal: controller.signal }));
  while (!existsSync(join(dir, 'stdout.log'))) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort(reason);
  return run;
}

describe('what comes back', () => {
  it('is the exit code, the bytes of stdout and the end of stderr', async () => {
    const exit = await bash(`printf 'a\\xff\\x00b'; echo oops >&2; exit 3`);

    expect(exit).toMatchObject({ code: 3, signal: undefined, stderrTail: 'oops\n', truncated: false });
    expect([...exit.stdout]).toEqual([97, 255, 0, 98]);
    expect([...readFileSync(join(dir, 'stdout.log'))]).toEqual([97, 255, 0, 98]);
    expect(readFileSync(join(dir, 'stderr.log'), 'utf8')).toBe('oops\n');
    expect(statSync(join(dir, 'stdout.log')).mode & 0o777).toBe(0o600);
  });

  it('names the signal that ended it, without a code', async () => {
    expect(await bash('kill -KILL $$')).toMatchObject({ code: undefined, signal: 'SIGKILL' });
  });

  it('makes no log file for a silent command', async () => {
    await bash('true');
    expect(existsSync(join(dir, 'stdout.log'))).toBe(false);
    expect(existsSync(join(dir, 'stderr.log'))).toBe(false);
  });

  it('passes arguments byte for byte: nothing of them is executed', async () => {
    const hostile = [
      `x'; touch PWNED; echo \`id\` $(touch PWNED2) "; touch PWNED3; #\n--help`,
      'it\'s 5 > 3 && "ok" | C:\\dir\\ $HOME 100% `code`',
      '\u0024{{ query }}',
      '',
      '*',
    ];
    const exit = await processes.run(command(['printf', '%s\\0', ...hostile]));
    expect(text(exit.stdout).split('\0').slice(0, -1)).toEqual(hostile);
    expect(existsSync(join(dir, 'PWNED'))).toBe(false);
  });

  it.runIf(spawnSync('python3', ['--version']).status === 0)(
    'lets Python leave no __pycache__ beside the scripts of a skill, unless its author wants one',
    async () => {
      writeFileSync(join(dir, 'part.py'), 'print("read")\n');
      const python = (env: Readonly<Record<string, string>>) =>
        processes.run(
          command(['python3', '-c', 'import part'], {
            env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
          }),
        );
      expect(text((await python({})).stdout)).toBe('read\n');
      expect(existsSync(join(dir, '__pycache__'))).toBe(false);
      await python({ PYTHONDONTWRITEBYTECODE: '' });
      expect(existsSync(join(dir, '__pycache__'))).toBe(true);
    },
  );

  it('gives the child the environment it was given, our marker, and what keeps Python quiet, nothing else', async () => {
    process.env.CANARY_TOKEN = 'canary';
    const exit = await processes.run(command(['env'], { env: { PATH: process.env.PATH ?? '', A: '1\n2' } }));
    delete process.env.CANARY_TOKEN;
    expect(text(exit.stdout).split('\n').sort()).toEqual(
      ['', '2', 'A=1', `PATH=${process.env.PATH}`, `PIPELINE_PROCESS=${marker}.1`, 'PYTHONDONTWRITEBYTECODE=1'].sort(),
    );
  });

  it('ends a command that reads stdin at once when there is none', async () => {
    expect(text((await bash('cat; read x || echo none')).stdout)).toBe('none\n');
  });

  it('gives stdin whole, also 1 MB of it, also as bytes', async () => {
    const bytes = new Uint8Array(1024 * 1024).map((_, i) => i % 256);
    const exit = await processes.run(command(['cat'], { stdin: bytes }));
    expect(Buffer.compare(exit.stdout, bytes)).toBe(0);
  });

  it('does not mind a command that leaves its stdin unread', async () => {
    expect(await bash('exec <&-; echo ok', { stdin: 'x'.repeat(4 * 1024 * 1024) })).toMatchObject({ code: 0 });
  });
});

describe('a loud command', () => {
  it('is not killed: its log keeps head and tail, its output the first 64 MB', async () => {
    const exit = await bash('head -c 70000000 /dev/zero; printf END');
    const log = readFileSync(join(dir, 'stdout.log'));

    expect(exit).toMatchObject({ code: 0, truncated: true });
    expect(exit.stdout.length).toBe(64 * 1024 * 1024);
    expect(log.length).toBeLessThan(LOG_HEAD_BYTES + LOG_TAIL_BYTES + 100);
    expect(log.subarray(-3).toString()).toBe('END');
    expect(log.subarray(LOG_HEAD_BYTES, LOG_HEAD_BYTES + 60).toString()).toContain(
      `${70_000_003 - LOG_HEAD_BYTES - LOG_TAIL_BYTES} bytes left out`,
    );
  });

  it('has its secrets replaced in the log and in the tail of stderr', async () => {
    const newFilter = () => ({
      push: (bytes: Uint8Array) => Buffer.from(text(bytes).replaceAll('sk-canary', '«redacted:KEY»')),
      end: () => new Uint8Array(),
    });
    processes = createProcesses({ marker, newFilter });
    const exit = await bash('echo sk-canary; echo sk-canary >&2');
    expect(text(exit.stdout)).toBe('sk-canary\n');
    expect(exit.stderrTail).toBe('«redacted:KEY»\n');
    expect(readFileSync(join(dir, 'stdout.log'), 'utf8')).toBe('«redacted:KEY»\n');
  });
});

describe('what cannot start', () => {
  it('is a missing program, named', async () => {
    const fault = await faultOf(processes.run(command(['no-such-program-here', '--key=sk-canary'])));
    expect(fault.data).toMatchObject({ code: 'shell.missing' });
    expect(fault.message).toContain('no-such-program-here');
    expect(JSON.stringify(fault.data)).not.toContain('canary');
  });

  it('is a file that is not executable', async () => {
    const fault = await faultOf(processes.run(command(['/etc/passwd'])));
    expect(fault.data.code).toBe('shell.missing');
  });

  it('is a command in a folder that does not exist', async () => {
    const fault = await faultOf(processes.run(command(['true'], { cwd: join(dir, 'gone') })));
    expect(fault.data).toMatchObject({ code: 'step.path' });
    expect(fault.message).toContain(join(dir, 'gone'));
  });

  it.each([
    ['a NUL in an argument', ['echo', 'sk-canary\0'], {}],
    ['a NUL in a variable', ['env'], { KEY: 'sk-canary\0' }],
    ['an argument over 100 KB', ['echo', 'sk-canary'.repeat(12_000)], {}],
    ['a variable over 100 KB', ['env'], { KEY: '量'.repeat(35_000) }],
    ['more than the system takes in all', ['echo', ...Array.from({ length: 60 }, () => 'x'.repeat(99_000))], {}],
  ])('is %s; the fault names stdin and no value', async (_, argv, env) => {
    const fault = await faultOf(processes.run(command(argv, { env: { PATH: process.env.PATH ?? '', ...env } })));
    expect(fault.data.code).toBe('config.invalid');
    expect(fault.data.hint).toContain('stdin');
    expect(JSON.stringify(fault.data)).not.toMatch(/canary|量|xxx/);
  });

  it('is anything under a signal that was aborted before', async () => {
    const reason = new Fault('step.timeout', 'too late');
    const fault = await faultOf(bash('touch started', { signal: AbortSignal.abort(reason) }));
    expect(fault).toBe(reason);
    expect(existsSync(join(dir, 'started'))).toBe(false);
  });
});

it('starts nothing that is cancelled while other starts hold the turns', async () => {
  await bash('true');
  const held = Array.from({ length: 10 }, () =>
    inTurn(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)),
  );
  const controller = new AbortController();
  const run = faultOf(bash('touch started', { signal: controller.signal }));
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await Promise.all(held);

  expect((await run).data.code).toBe('run.cancelled');
  expect(existsSync(join(dir, 'started'))).toBe(false);
});

describe('ending', () => {
  it('does not wait for a grandchild that holds the pipe, and ends it', async () => {
    const exit = await bash('sleep 300 & echo hi');
    expect(exit).toMatchObject({ code: 0 });
    expect(text(exit.stdout)).toBe('hi\n');
    expect(findLeftovers(marker)).toEqual([]);
  });

  it('ends a grandchild in another session that holds the pipe', async () => {
    await bash('setsid sleep 300 & echo hi');
    expect(findLeftovers(marker)).toEqual([]);
  });

  it('ends what was left in the background with its pipes closed', async () => {
    await bash('sleep 300 >/dev/null 2>&1 & echo hi');
    expect(findLeftovers(marker)).toEqual([]);
  });

  it('throws the very fault that the signal was aborted with', async () => {
    const reason = new Fault('step.timeout', 'Step "a" took longer than 1 s.');
    expect(await abortWhenReady('echo ready; sleep 300', reason)).toBe(reason);
  });

  it('calls any other reason a cancellation', async () => {
    const fault = await abortWhenReady('echo ready; sleep 300', new Error('why'));
    expect(fault.data.code).toBe('run.cancelled');
  });

  it.each([
    ['a tree', 'sleep 300 & (sleep 300 & sleep 300) & echo ready; wait'],
    ['one that ignores TERM', `trap '' TERM; echo ready; while :; do sleep 0.2; done`],
    ['sessions of their own', '(setsid sleep 300 &) ; setsid bash -c "sleep 300 & wait" & sleep 0.2; echo ready; wait'],
    ['a stopped process', 'sleep 300 & kill -STOP $!; echo ready; wait'],
  ])('leaves nothing of %s', async (_, script) => {
    await abortWhenReady(script, new Fault('run.cancelled', 'x'));
    expect(findLeftovers(marker)).toEqual([]);
  });

  it('ends a descendant that cleared its environment while its parent was there', async () => {
    await abortWhenReady(
      'setsid env -i sleep 300 & echo $! > pid; sleep 0.2; echo ready; wait',
      new Fault('run.cancelled', 'x'),
    );
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
    expect(listProcesses().filter((entry) => entry.pid === pid)).toEqual([]);
  });

  it('ends an orphan that cleared its environment in a session of its own, if it was seen while its parent was there', async () => {
    const orphan = 'setsid env -i sleep 300 </dev/null >/dev/null 2>&1 & echo $! > pid; sleep 0.5';
    await abortWhenReady(`(${orphan}); echo ready; sleep 300`, new Fault('run.cancelled', 'x'));
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
    expect(listProcesses().filter((entry) => entry.pid === pid)).toEqual([]);
  });

  it('lets a command that gets TERM clean up', async () => {
    await abortWhenReady(
      `trap 'touch cleaned; exit' TERM; echo ready; sleep 300 & wait`,
      new Fault('run.cancelled', 'x'),
    );
    expect(existsSync(join(dir, 'cleaned'))).toBe(true);
  });

  it('asks a strict shell before its child has failed it', async () => {
    const names = Array.from({ length: 12 }, (_, i) => join(dir, `shell-${i}`));
    const controller = new AbortController();
    const runs = names.map((name) => {
      const script = `set -e; trap 'touch ${name}.cleaned; exit' TERM; touch ${name}; while :; do sleep 1; done`;
      const files = { stdoutFile: `${name}.out`, stderrFile: `${name}.err` };
      return faultOf(bash(script, { ...files, signal: controller.signal }));
    });
    while (!names.every((name) => existsSync(name))) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort();
    await Promise.all(runs);
    expect(names.filter((name) => !existsSync(`${name}.cleaned`))).toEqual([]);
  });

  it('takes silence on both streams for too long as step.silent', async () => {
    const fault = await faultOf(bash('echo once; sleep 300', { idleTimeoutMs: 200 }));
    expect(fault.data.code).toBe('step.silent');
    expect(findLeftovers(marker)).toEqual([]);
  });

  it('hears either stream', async () => {
    const exit = await bash('for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.2; done', { idleTimeoutMs: 1_000 });
    expect(exit.code).toBe(0);
  });

  it('leaves the processes of another command of the run alone', async () => {
    const other = bash('echo ready; sleep 1; echo done');
    await abortWhenReady('sleep 300', new Fault('run.cancelled', 'x'));
    expect(text((await other).stdout)).toBe('ready\ndone\n');
  });

  it.each([false, true])('ends all that runs, and starts no more (force: %s)', async (force) => {
    const runs = [1, 2, 3].map(() => faultOf(bash('echo ready; sleep 300')));
    while (findLeftovers(marker).length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    await processes.endAll(force);
    for (const run of runs) expect((await run).data.code).toBe('run.cancelled');
    expect(findLeftovers(marker)).toEqual([]);
    expect((await faultOf(bash('true'))).data.code).toBe('run.cancelled');
  });
});

it('leaves no listener on a signal that many commands share, and no warning', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 40 }, () => processes.run(command(['true'], { signal }))));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(warnings).toEqual([]);
});

describe('waiting for the end of a pipe', () => {
  const opened = () => {
    const child = spawn('bash', ['-c', 'sleep 0.05'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    let open = true;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
      open = false;
    });
    return { child, closed, isOpen: () => open };
  };

  it('hears one that came while the event loop was blocked past the limit', async () => {
    const { closed, isOpen } = opened();
    const waiting = within(20, closed);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await waiting;
    expect(isOpen()).toBe(false);
  });

  it('is over after the limit', async () => {
    const { child, closed, isOpen } = opened();
    child.kill('SIGSTOP');
    await within(20, closed);
    expect(isOpen()).toBe(true);
    child.kill('SIGKILL');
    await closed;
  });
});

it('stops the command when its log cannot be written', async () => {
  const fault = await faultOf(bash('echo hi; sleep 300', { stdoutFile: '/dev/full' }));
  expect(fault.data.code).toBe('run.journal');
  expect(fault.message).toContain('ENOSPC');
  expect(findLeftovers(marker)).toEqual([]);
});

it('is asked about once when it has printed more than is kept, and ended if that speaks against it', async () => {
  let asked = 0;
  const ask = (fault: Fault | undefined) => ({
    overflow() {
      asked++;
      return fault;
    },
  });
  const tooMuch = new Fault('shell.output', 'too much');
  expect(await faultOf(bash('exec yes', ask(tooMuch)))).toBe(tooMuch);
  expect(asked).toBe(1);
  const goesOn = await bash('head -c 68M /dev/zero; echo there >&2', ask(undefined));
  expect(goesOn).toMatchObject({ code: 0, truncated: true, stderrTail: 'there\n' });
  expect(asked).toBe(2);
});
