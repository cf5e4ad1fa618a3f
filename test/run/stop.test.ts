import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { lockHolder } from '../../src/engine/lock.js';
import { readRunFile } from '../../src/engine/run-file.js';
import { IN_ORDER, stopRun } from '../../src/stop.js';
import { isAlive, seen } from '../support/cli.js';
import { project, type TestProject } from '../support/project.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PLAN = `version: 1
name: t
steps:
  - id: waits
    shell:
      cwd: \${{ project.dir }}
      run: |
        if [ -e go ]; then echo went; exit; fi
        setsid sleep 300 &
        echo $! >> pids
        echo $$ >> pids
        touch ready
        wait
permissions: { read: [.], write: [.] }
`;

/** Another program that performs a run by the library: it knows no signals, or is deaf to TERM. */
const PROGRAM = `
  import { runPipeline } from './src/run.ts';
  const [dir, deaf] = process.argv.slice(2);
  if (deaf) process.on('SIGTERM', () => {});
  const env = { PATH: process.env.PATH, HOME: dir };
  await runPipeline({ target: './pipeline.yaml', query: 'a query', cwd: dir, env, model: 'sketch', detect: false });`;

let file: string;
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'stop-'));
  file = join(dir, 'program.mjs');
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  await build({
    stdin: { contents: PROGRAM, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    define: { PIPELINE_VERSION: '"test"' },
    outfile: file,
    logLevel: 'error',
  });
});

interface Working {
  readonly place: TestProject;
  readonly program: ChildProcess;
  readonly dir: string;
  readonly pids: readonly number[];
}

async function working(deaf: boolean): Promise<Working> {
  const place = project({ 'pipeline.yaml': PLAN });
  const program = spawn(process.execPath, [file, place.dir, ...(deaf ? ['deaf'] : [])], { stdio: 'ignore' });
  await seen(() => existsSync(join(place.dir, 'ready')));
  const pids = place.read('pids').trim().split('\n').map(Number);
  onTestFinished(() => {
    program.kill('SIGKILL');
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { place, program, dir: join(place.dir, 'skill_run/t/a-query'), pids };
}

it('ends a program that performs the run by the library, and the processes of steps that it leaves', async () => {
  const { place, program, dir, pids } = await working(false);
  expect(await stopRun(dir, IN_ORDER)).toEqual({ type: 'stopped', pid: program.pid, killed: false, processes: 2 });
  expect(program.signalCode ?? (await once(program, 'exit'))[1]).toBe('SIGTERM');
  expect(pids.filter(isAlive)).toEqual([]);
  expect(existsSync(join(dir, '.lock'))).toBe(false);
  place.write('go', '');
  expect((await place.run({ resume: { dir } })).status).toBe('done');
});

it('says that a process goes on that is deaf to TERM; then kills it, and ends what it has left', async () => {
  const { program, dir, pids } = await working(true);
  await expect(stopRun(dir, [{ signal: 'SIGTERM', patienceMs: 30 }])).rejects.toMatchObject({
    data: { code: 'run.in_use', hint: expect.stringContaining('--now') },
  });
  expect(lockHolder(dir)?.pid).toBe(program.pid);
  const stopped = await stopRun(dir, [
    { signal: 'SIGTERM', patienceMs: 30 },
    { signal: 'SIGKILL', patienceMs: 10_000 },
  ]);
  expect(stopped).toEqual({ type: 'stopped', pid: program.pid, killed: true, processes: 2 });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(readRunFile(dir)?.status).toBe('running');
  expect(lockHolder(dir)).toBeUndefined();
  expect(readFileSync(join(dir, 'events.ndjson'), 'utf8')).not.toContain('run_ended');
});
