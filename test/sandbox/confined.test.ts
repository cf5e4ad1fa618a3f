import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shellTool } from '../../src/tools/shell.js';
import { SANDBOX, step, WORKS } from './place.js';

if (!WORKS) {
  it('says why there is no sandbox here and what to do, and runs nothing', async () => {
    const { shell, work } = step();
    expect(SANDBOX).toMatchObject({
      type: 'none',
      reason: expect.stringMatching(/\w/),
      hint: expect.stringMatching(/\w/),
    });
    expect(await shell('touch ran')).toMatch(/^error: shell: there is no sandbox: .*Nothing was run/);
    expect(existsSync(join(work, 'ran'))).toBe(false);
  });
} else {
  it('shows the work folder to write, the run, the skill and the system to read', async () => {
    const { shell, put, work, run, skill } = step();
    put('project/skill_run/essay/tea/page.md', 'page');
    put('project/skills/essay/SKILL.md', 'skill');
    expect(await shell('pwd; echo mine > out.txt; mkdir sub; cat "$PIPELINE_INPUTS"')).toBe(
      `exit code 0\nstdout:\n${work}\n{"query":"a query"}`,
    );
    expect(readFileSync(join(work, 'out.txt'), 'utf8')).toBe('mine\n');
    expect(await shell(`cat ${run}/page.md ${skill}/SKILL.md; ls /usr > list`)).toBe('exit code 0\nstdout:\npageskill');
    for (const path of [`${run}/page.md`, `${run}/new`, `${skill}/SKILL.md`, '/usr/new', '/etc/new', '/new']) {
      expect(await shell(`echo x > ${path}`), path).toContain('Read-only file system');
    }
  });

  it('hides the home folder, the project, other steps and the files of the runner', async () => {
    const { shell, put, base, run, project } = step();
    const secret = [
      put('home/canary', 'CANARY'),
      put('project/notes.md', 'CANARY'),
      put('project/skill_run/essay/tea/events.ndjson', 'CANARY'),
      put('project/skill_run/essay/tea/run.json', 'CANARY'),
      put('project/skill_run/essay/tea/.steps/b/work/page.md', 'CANARY'),
      put('project/skill_run/essay/tea/.steps/a/transcript.ndjson', 'CANARY'),
      put('project/skill_run/essay/other/page.md', 'CANARY'),
    ];
    for (const path of secret) expect(await shell(`cat ${path}`), path).toMatch(/^error: .*exit code 1/);
    expect(await shell(`grep -rs CANARY ${base} /tmp /home /root /etc || echo none`)).toBe(
      'exit code 0\nstdout:\nnone',
    );
    expect(await shell(`ls ${project}; ls ${run}/.steps; ls ${run}/.steps/a; ls -d ~; ls -A ~`)).toBe(
      'exit code 0\nstdout:\nskill_run\nskills\na\ninputs.json\nwork\n/tmp/home',
    );
    expect(await shell('ls /etc/shadow /var /root /run /sys')).toMatch(/(.*No such file.*\n){4}.*No such file/);
  });

  it("leaves the kernel's switches alone, whoever runs it", async () => {
    const { shell } = step();
    // Nothing is written: opening it for writing is enough to see.
    const switches = ['sys/kernel/core_pattern', 'sys/vm/overcommit_memory', 'sysrq-trigger', 'self/oom_score_adj'];
    for (const name of switches)
      expect(await shell(`: >> /proc/${name}`), name).toMatch(/Read-only file system|No such file/);
    expect(await shell('cat < <(echo read) /proc/sys/kernel/ostype; ls /proc/self/fd > /dev/null')).toBe(
      'exit code 0\nstdout:\nLinux',
    );
  });

  it('lets no write out by a link that an earlier command made', async () => {
    const { shell, base, work, run } = step();
    symlinkSync(join(base, 'home'), join(run, 'out'));
    expect(await shell(`ln -s ${base}/home out; ln -s ${base}/home/canary file; ln -s / root`)).toBe('exit code 0');
    for (const path of ['out/new', 'file', `root${base}/home/new`, `${run}/out/new`]) {
      expect(await shell(`echo x > ${path}`), path).toMatch(/^error: /);
    }
    expect(existsSync(join(base, 'home/new'))).toBe(false);
    expect(readFileSync(join(base, 'home/canary'), 'utf8')).toBe('canary');
    expect(existsSync(join(work, 'out/canary'))).toBe(true);
  });

  it('never writes its own logs through what a command has put into the work folder', async () => {
    const { shell, base } = step();
    await shell(`ln -s ${base}/home/canary stdout.log; ln -s ${base}/home .results; echo printed`);
    expect(await shell('echo printed')).toBe('exit code 0\nstdout:\nprinted');
    expect(readFileSync(join(base, 'home/canary'), 'utf8')).toBe('canary');
  });

  it('has no network, not even to this machine, unless the pipeline permits it', async () => {
    const heard: string[] = [];
    const port = await listening((text) => heard.push(text));
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; echo hello >&3; cat <&3`;
    expect(await step().shell(command)).toMatch(/Connection refused[\s\S]*/);
    expect(heard).toEqual([]);
    expect(await step({ network: true }).shell(command)).toBe('exit code 0\nstdout:\nbye');
    expect(heard).toEqual(['hello\n']);
  });

  it('sees no other process, and has no capability', async () => {
    const { shell } = step();
    expect(await shell('ls -d /proc/[0-9]* | wc -l; grep CapBnd /proc/self/status; cat /proc/1/comm')).toMatch(
      /stdout:\n[1-6]\nCapBnd:\s0+\nbwrap$/,
    );
    expect(await shell(`kill -9 ${process.pid}`)).toMatch(/^error: /);
  });

  it('leaves no process behind: not of a command that has ended, not of one that was ended', async () => {
    const { shell } = step();
    const mark = `300.${process.pid}`;
    expect(await shell(`sleep ${mark} & setsid -f sleep ${mark}; echo hi`)).toBe('exit code 0\nstdout:\nhi');
    expect(await shell(`setsid -f sleep ${mark}; sleep ${mark}`, { timeout_seconds: 1 })).toContain('ended after 1 s');
    expect(await step({ sandbox: { type: 'off' } }).shell(`ps ax | grep 'slee[p] ${mark}' || echo none`)).toContain(
      'none',
    );
  });

  it('gives a small environment: what the pipeline names, never the key of a provider', async () => {
    const environment = { OPENAI_API_KEY: 'sk-1', MY_TOKEN: 'secret', GIVEN: 'given', BASH_ENV: '/x', TZ: 'UTC' };
    const { shell } = step({ environment, env: ['GIVEN', 'OPENAI_API_KEY'] });
    const said = await shell('env | cut -d= -f1 | sort | tr "\\n" " "');
    expect(said.split('\n').at(-1)?.trim().split(' ')).toEqual([
      ...['GIVEN', 'HOME', 'LANG', 'PATH', 'PIPELINE_INPUTS', 'PIPELINE_PROCESS', 'PIPELINE_QUERY', 'PIPELINE_RUN_DIR'],
      ...['PIPELINE_SKILL_DIR', 'PWD', 'PYTHONDONTWRITEBYTECODE', 'SHLVL', 'TMPDIR', 'TZ', '_'],
    ]);
  });

  it('takes no programs from folders that its commands can fill, or that depend on where it is', async () => {
    const { base } = step();
    const PATH = `/usr/bin:.::${base}/tools:/bin`;
    expect(await step({ environment: { PATH } }).shell('echo $PATH')).toBe(
      `exit code 0\nstdout:\n${PATH.replace('.::', '')}`,
    );
    const own = step({ write: ['bin'] });
    const environment = { ...own.context.environment, PATH: `${own.base}/bin:${own.run}/bin:/usr/bin:/bin` };
    const result = await shellTool.execute({ command: 'echo $PATH' }, { ...own.context, environment });
    expect(result).toEqual({ type: 'text', text: 'exit code 0\nstdout:\n/usr/bin:/bin' });
  });
}

async function listening(onText: (text: string) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      onText(bytes.toString());
      socket.end('bye\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
