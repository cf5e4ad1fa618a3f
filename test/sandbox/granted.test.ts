import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { viewOf } from '../../src/sandbox/view.js';
import { SANDBOX, step, WORKS } from './place.js';

/** The paths of a view, relative to the place. */
async function view(here: ReturnType<typeof step>) {
  const { write, read, hidden } = await viewOf(here.context);
  const short = (paths: readonly string[]) => paths.map((path) => path.slice(here.base.length + 1)).sort();
  return {
    write: short(write),
    read: short(read),
    files: short(hidden.files),
    folders: short(hidden.folders),
    fixed: short(hidden.fixed),
  };
}

it('hides secrets, sockets, git configuration and other runs in what is granted, wherever they lie', async () => {
  const here = step({ read: ['project'] });
  for (const path of ['.env', 'a/.env.local', 'a/b/server.pem', 'a/.npmrc', 'a/.ssh/id', 'a/.docker/config.json'])
    here.put(`project/${path}`, 'secret');
  for (const path of ['.git/config', '.git/hooks/x', 'sub/.git', 'skill_run/x/y/page.md', 'real/prod', 'ok.md'])
    here.put(`project/${path}`, 'x');
  symlinkSync('real/prod', join(here.project, '.env.prod'));
  const server = createServer().listen(join(here.project, 'agent.sock'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  expect(await view(here)).toEqual({
    write: [],
    read: ['project'],
    files: [
      ...['project/.env', 'project/.git/config', 'project/a/.env.local', 'project/a/.npmrc', 'project/a/b/server.pem'],
      ...['project/agent.sock', 'project/real/prod'],
    ],
    folders: ['project/a/.docker', 'project/a/.ssh', 'project/skill_run'],
    fixed: ['project/.git', 'project/sub/.git'],
  });
});

it('grants nothing that is not there, that is a secret, or that belongs to runs', async () => {
  const here = step({
    read: ['gone', 'keys/.env', 'linked'],
    write: ['project/skill_run', 'home/.ssh'],
    readable: ['in.txt'],
  });
  here.put('keys/.env');
  here.put('in.txt');
  mkdirSync(join(here.base, 'home/.ssh'), { recursive: true });
  symlinkSync(join(here.base, 'home/.ssh'), join(here.base, 'linked'));
  expect(await view(here)).toMatchObject({ write: [], read: ['in.txt', 'project/skill_run', 'project/skills/essay'] });
});

it('hides the journals of other runs in what is granted of them', async () => {
  const here = step({ read: ['project/skill_run/x'] });
  for (const name of ['page.md', 'events.ndjson', 'run.json', '.lock', '.steps/a/prompt.md', 'deep/run.json'])
    here.put(`project/skill_run/x/y/${name}`);
  expect(await view(here)).toMatchObject({
    files: ['.lock', 'events.ndjson', 'run.json'].map((name) => `project/skill_run/x/y/${name}`),
    folders: ['project/skill_run/x/y/.steps'],
  });
});

it('takes of grants inside each other the outer one, so that no link in it can stand for another', async () => {
  const here = step({ read: ['a', 'a/b', 'c/d'], write: ['c', 'c/e', 'project/skills'] });
  for (const path of ['a/b/x', 'c/d/x', 'c/e/x']) here.put(path);
  expect(await view(here)).toMatchObject({ read: ['a'], write: ['c', 'project/skills'] });
});

it('refuses a grant that holds too much to be hidden, naming what to write', async () => {
  const here = step({ read: ['data'] });
  for (let i = 0; i <= 2_000; i++) here.put(`data/.env.${i}`);
  await expect(viewOf(here.context)).rejects.toMatchObject({
    data: { code: 'step.path', hint: 'Name smaller folders under permissions.read and permissions.write.' },
  });
});

if (WORKS) {
  it('runs nothing where a folder was replaced between the judgement and the mount', async () => {
    const lone = step({ read: ['data/raw'] });
    lone.put('data/raw/a.txt', 'a');
    if (SANDBOX.type !== 'on') throw new Error('there is a sandbox');
    const { argv, env } = await SANDBOX.confine(['cat', join(lone.base, 'data/raw/canary')], lone.context);
    const run = () =>
      spawnSync(argv[0] as string, argv.slice(1), { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
    expect(run().stderr).toContain('No such file');
    renameSync(join(lone.base, 'data/raw'), join(lone.base, 'data/was'));
    symlinkSync(join(lone.base, 'home'), join(lone.base, 'data/raw'));
    expect(run()).toMatchObject({ status: 126, stdout: '', stderr: expect.stringContaining('nothing was run') });
  });

  it('reads and writes what is granted, and nothing of the secrets in it', async () => {
    const here = step({ read: ['data'], write: ['out'] });
    here.put('data/a.txt', 'a');
    here.put('data/.env', 'KEY=secret');
    here.put('out/.env', 'KEY=secret');
    here.put('out/.git/config', '[x]');
    here.put('out/sub/key.pem', 'secret');
    const { shell, base } = here;
    expect(await shell(`cat ${base}/data/a.txt; echo b > ${base}/out/b; rm -f ${base}/out/none`)).toBe(
      'exit code 0\nstdout:\na',
    );
    expect(readFileSync(join(base, 'out/b'), 'utf8')).toBe('b\n');
    for (const command of [
      `echo x > ${base}/data/b`,
      `cat ${base}/data/.env`,
      `cat ${base}/out/.env`,
      `mv ${base}/out/.env ${base}/out/env`,
      `ln ${base}/out/.env ${base}/out/env`,
      `echo x > ${base}/out/.env`,
      `mv ${base}/out/.git ${base}/out/git`,
      `echo x > ${base}/out/.git/hooks`,
      `cat ${base}/out/.git/config`,
    ]) {
      expect(await shell(command), command).toMatch(/^error: /);
    }
    // A folder around a secret can be moved; the secret is found again where it is.
    expect(await shell(`mv ${base}/out/sub ${base}/out/moved`)).toBe('exit code 0');
    expect(await shell(`cat ${base}/out/moved/key.pem`)).toMatch(/Permission denied/);
    expect(readFileSync(join(base, 'out/.env'), 'utf8')).toBe('KEY=secret');
  });

  it('keeps a run read-only and its machinery hidden inside a project that may be written', async () => {
    const here = step({ write: ['project'] });
    const { shell, project, run } = here;
    here.put('project/skill_run/essay/other/page.md', 'x');
    here.put('project/skill_run/essay/tea/page.md', 'page');
    expect(await shell(`echo x > ${project}/new.md; echo y > mine; cat ${run}/page.md`)).toBe(
      'exit code 0\nstdout:\npage',
    );
    expect(existsSync(join(project, 'new.md'))).toBe(true);
    for (const command of [
      `echo x > ${run}/page.md`,
      `echo x > ${project}/skill_run/new`,
      `cat ${project}/skill_run/essay/other/page.md`,
      `mv ${project}/skill_run ${project}/moved`,
      `rm -r ${run}/.steps`,
    ]) {
      expect(await shell(command), command).toMatch(/^error: /);
    }
    expect(existsSync(join(run, '.steps/inputs.json'))).toBe(true);
  });

  it('knows a folder also by a path that leads through a link', async () => {
    const here = step({ read: ['linked'] });
    here.put('real/a.txt', 'a');
    symlinkSync(join(here.base, 'real'), join(here.base, 'linked'));
    expect(await here.shell(`cat ${here.base}/linked/a.txt ${here.base}/real/a.txt`)).toBe('exit code 0\nstdout:\naa');
  });
} else {
  it('finds no bubblewrap that works: the commands themselves cannot be tried', () => {
    expect(() => execFileSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], { stdio: 'pipe' })).toThrow();
  });
}
