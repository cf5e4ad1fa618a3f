import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { LOCK_FILE, lockHolder, signalHolder, takeLock } from '../../src/engine/lock.js';

let program: string;
let dir: string;

beforeAll(() => {
  program = join(mkdtempSync(join(tmpdir(), 'lock-')), 'holder.mjs');
  buildSync({
    stdin: { contents: HOLDER, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
});

/** Takes the lock, says how it went, holds it until its stdin ends; or races for the locks of many folders, and says which it won. */
const HOLDER = `
  import { takeLock } from '../../src/engine/lock.ts';
  const [dir, at, rounds] = process.argv.slice(2);
  const take = (dir) => {
    try {
      return takeLock(dir);
    } catch (error) {
      return error.data?.code ?? String(error);
    }
  };
  if (rounds === '0') {
    const lock = take(dir);
    process.stdout.write(typeof lock === 'string' ? lock : 'held');
    process.stdin.resume().on('end', () => { lock.release?.(); process.exit(0); });
  } else {
    const won = [];
    for (let i = 0; i < Number(rounds); i++) {
      const start = Number(at) + i * 4;
      while (performance.timeOrigin + performance.now() < start) {}
      const lock = take(dir + '/' + i);
      if (lock !== 'run.in_use') won.push(typeof lock === 'string' ? lock : 'held ' + i);
    }
    process.stdout.write(JSON.stringify(won));
    process.stdin.resume().on('end', () => process.exit(0));
  }`;
const ROUNDS = 400;

async function holder(at = 0, rounds = 0): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [program, dir, String(at), String(rounds)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [chunk] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, said: String(chunk) };
}

async function killed(): Promise<number> {
  const { child } = await holder();
  child.kill('SIGKILL');
  await once(child, 'exit');
  return child.pid as number;
}

const thrown = (take: () => unknown): Fault => {
  try {
    take();
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('expected a fault');
};

describe('a run folder', () => {
  it('is in use while another process holds it, which the fault names', async () => {
    const { child, said } = await holder();
    expect(said).toBe('held');
    const fault = thrown(() => takeLock(dir));
    expect(fault.data.code).toBe('run.in_use');
    expect(fault.message).toMatch(new RegExp(`pid ${child.pid} since \\d{4}-`));
    expect(fault.data.hint).toContain(`pipeline stop ${basename(dirname(dir))}/${basename(dir)}.`);

    child.stdin?.end();
    await once(child, 'exit');
    const lock = takeLock(dir);
    expect(lock.tookOver).toBeUndefined();
    lock.release();
    lock.release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is in use for a second run of the same process', () => {
    const lock = takeLock(dir);
    expect(thrown(() => takeLock(dir)).data.code).toBe('run.in_use');
    expect(readdirSync(dir)).toEqual([LOCK_FILE]);
    expect(lockHolder(dir)?.pid).toBe(process.pid);
    expect(statSync(join(dir, LOCK_FILE)).mode & 0o777).toBe(0o600);
    lock.release();
  });

  it('is taken over from a process that was killed, and that is said', async () => {
    const pid = await killed();
    expect(lockHolder(dir)).toBeUndefined();
    const lock = takeLock(dir);
    expect(lock.tookOver?.pid).toBe(pid);
    expect(lock.tookOver?.since).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(readdirSync(dir)).toEqual([LOCK_FILE]);
    lock.release();
  });

  it.each([
    ['another process that got the same pid', { started: '1' }],
    ['a process from before the machine was started again', { boot: 'earlier' }],
  ])('is not held by %s', (_, change) => {
    const first = takeLock(dir);
    const file = join(dir, LOCK_FILE);
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), nonce: '0'.repeat(16), ...change }),
    );
    const second = takeLock(dir);
    expect(second.tookOver?.pid).toBe(process.pid);
    first.release();
    expect(readdirSync(dir)).toEqual([LOCK_FILE]);
    second.release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is not judged from afar: a lock of another machine stands', () => {
    takeLock(dir);
    const file = join(dir, LOCK_FILE);
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), boot: 'other', host: 'elsewhere' }),
    );
    const fault = thrown(() => takeLock(dir));
    expect(fault.message).toContain('elsewhere');
    expect(fault.data.hint).toContain(file);
  });

  it.each(['', '{', '{"pid":"x"}', 'null'])('is taken over from a lock that holds %j', (content) => {
    writeFileSync(join(dir, LOCK_FILE), content);
    const lock = takeLock(dir);
    expect(lock.tookOver?.pid).toBe(0);
    lock.release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is taken over although a process died while it took it over', async () => {
    const first = await killed();
    const stale = readFileSync(join(dir, LOCK_FILE), 'utf8');
    const second = join(dir, 'second');
    writeFileSync(second, JSON.stringify({ ...JSON.parse(stale), nonce: 'ab'.repeat(8) }));
    writeFileSync(join(dir, `${LOCK_FILE}.claim-${JSON.parse(stale).nonce}`), readFileSync(second));
    const lock = takeLock(dir);
    expect(lock.tookOver?.pid).toBe(first);
    expect(readdirSync(dir).sort()).toEqual([LOCK_FILE, 'second']);
    lock.release();
  });

  it('goes to exactly one of several processes that take it over at once, time after time', async () => {
    const stale = JSON.stringify({
      pid: await killed(),
      started: '1',
      boot: '',
      host: hostname(),
      since: 'then',
      nonce: '0'.repeat(16),
    });
    const parent = mkdtempSync(join(tmpdir(), 'lock-'));
    const rounds = Array.from({ length: ROUNDS }, (_, i) => join(parent, String(i)));
    for (const round of rounds) {
      mkdirSync(round);
      writeFileSync(join(round, LOCK_FILE), stale);
    }
    dir = parent;
    const at = Date.now() + 1_000;
    const racers = await Promise.all([1, 2, 3].map(() => holder(at, ROUNDS)));
    const winners = racers.flatMap(({ said }) => JSON.parse(said) as string[]);
    expect(winners.sort()).toEqual(Array.from({ length: ROUNDS }, (_, i) => `held ${i}`).sort());
    for (const round of rounds) expect(readdirSync(round)).toEqual([LOCK_FILE]);
    for (const { child } of racers) child.stdin?.end();
  });
});

describe('a signal to the holder', () => {
  const change = (facts: object) => {
    const file = join(dir, LOCK_FILE);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...facts }));
  };

  it('reaches the process that holds the folder, and says when there is none any more', async () => {
    const { child } = await holder();
    const { nonce = '' } = lockHolder(dir) ?? {};
    expect(signalHolder(dir, 'another session', 'SIGTERM')).toBe(false);
    expect(signalHolder(dir, nonce, 'SIGTERM')).toBe(true);
    expect((await once(child, 'exit'))[1]).toBe('SIGTERM');
    expect(signalHolder(dir, nonce, 'SIGTERM')).toBe(false);
  });

  it.each([
    ['that got the pid of a dead one', { started: '1' }],
    ['that had the pid before the machine was started again', { boot: 'earlier' }],
    ['of this machine with the pid of one on another', { boot: 'other', host: 'elsewhere' }],
    ['by a lock without a start', { started: undefined }],
    ['by a lock whose pid means all', { pid: -1, started: undefined }],
    ['by a lock whose pid means its own group', { pid: 0, started: undefined }],
  ])('never reaches a process %s', async (_, facts) => {
    const { child } = await holder();
    const { nonce = '' } = lockHolder(dir) ?? {};
    change(facts);
    if (!('host' in facts)) expect(lockHolder(dir)).toBeUndefined();
    expect(signalHolder(dir, nonce, 'SIGKILL')).toBe(false);
    child.stdin?.end();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});

it('says that a folder is gone, instead of failing over its lock', () => {
  expect(thrown(() => takeLock(join(dir, 'gone'))).data).toMatchObject({ code: 'input.unknown' });
});

it('refuses what is no regular file in its place, instead of waiting for it', () => {
  execFileSync('mkfifo', [join(dir, LOCK_FILE)]);
  expect(() => takeLock(dir)).toThrow('is not a regular file');
  expect(lockHolder(dir)).toBeUndefined();
  expect(readdirSync(dir)).toEqual([LOCK_FILE]);
});

it('what a process left that was killed as it began to take the lock is gone with the next one; what a live one needs stays', () => {
  const nobodys = 2 ** 22 + 1;
  writeFileSync(join(dir, `${LOCK_FILE}.${nobodys}.0123456789abcdef.tmp`), '');
  writeFileSync(join(dir, `${LOCK_FILE}.${process.pid}.0123456789abcdef.tmp`), '');
  takeLock(dir);
  expect(readdirSync(dir).sort()).toEqual([LOCK_FILE, `${LOCK_FILE}.${process.pid}.0123456789abcdef.tmp`].sort());
});
