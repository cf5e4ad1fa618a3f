import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { shellTool } from '../../src/tools/shell.js';
import { step } from '../sandbox/place.js';

/** Without a sandbox, so that what is said here holds on every machine. */
const OFF = { type: 'off' } as const;

it('says the exit code and what was printed on both streams', async () => {
  const { shell } = step({ sandbox: OFF });
  expect(await shell('echo out; echo err >&2')).toBe('exit code 0\nstdout:\nout\nstderr:\nerr');
  expect(await shell('true')).toBe('exit code 0');
  expect(await shell('echo a\r\necho b\r\n')).toBe('exit code 0\nstdout:\na\nb');
});

it('gives what was printed back with the failure', async () => {
  const { shell } = step({ sandbox: OFF });
  expect(await shell('echo before; echo why >&2; exit 3')).toBe(
    'error: shell: the command ended with exit code 3.\nstdout:\nbefore\nstderr:\nwhy',
  );
  expect(await shell('false | cat; echo never')).toBe('error: shell: the command ended with exit code 1.');
  expect(await shell('kill -KILL $$')).toBe('error: shell: the command was ended by SIGKILL.');
});

it('shows the start and the end of long output, 64 KB in all', async () => {
  const { shell } = step({ sandbox: OFF });
  const both = await shell('seq 1 100000; seq 1 100000 >&2');
  expect(Buffer.byteLength(both)).toBeLessThan(65 * 1024);
  expect(both).toMatch(
    /^exit code 0\nstdout:\n1\n2\n[\s\S]*\[… at least \d+ bytes are left out here[\s\S]*\n100000\nstderr:\n1\n2\n[\s\S]*\n100000$/,
  );
  const one = await shell('seq 1 9000; echo end >&2');
  expect(one).not.toContain('left out');
  const loud = await shell("head -c 20000000 /dev/zero | tr '\\0' 'ä'");
  expect(Buffer.byteLength(loud)).toBeLessThan(65 * 1024);
});

it('does not take for its own what an earlier command printed', async () => {
  const { shell } = step({ sandbox: OFF });
  await shell('echo earlier; echo earlier >&2');
  expect(await shell('true')).toBe('exit code 0');
});

it('ends a command after its time, with what it had printed', async () => {
  const { shell } = step({ sandbox: OFF });
  expect(await shell('echo begun; sleep 300; echo never', { timeout_seconds: 1 })).toBe(
    'error: shell: the command was ended after 1 s. stdout:\nbegun',
  );
});

it('does not wait for what a command leaves behind', async () => {
  const { shell } = step({ sandbox: OFF });
  expect(await shell('sleep 300 & echo hi')).toBe('exit code 0\nstdout:\nhi');
});

it('ends with the step, whose fault it passes on', async () => {
  const ending = new AbortController();
  const { shell } = step({ sandbox: OFF, signal: ending.signal });
  const said = shell('sleep 300');
  ending.abort(new Fault('run.cancelled', 'Ctrl-C'));
  await expect(said).rejects.toThrow('Ctrl-C');
});

it('runs nothing where there is no sandbox', async () => {
  const { shell, work } = step({ sandbox: { type: 'none', reason: 'the machine has none', hint: 'Get one.' } });
  expect(await shell('touch ran')).toBe(
    'error: shell: there is no sandbox: the machine has none. Nothing was run. Go on without commands.',
  );
  expect(existsSync(join(work, 'ran'))).toBe(false);
});

it('runs without a sandbox only where a person said so: with the rights and the home of that person', async () => {
  const { shell, base } = step({ sandbox: OFF });
  expect(await shell('cat ~/canary; pwd')).toMatch(new RegExp(`canary.*${base}`));
});

it.each([step, () => step({ sandbox: OFF })])(
  'under rules starts the program itself, without a shell',
  async (make) => {
    const here = make();
    const { shell, work } = here;
    if (here.context.sandbox?.type === 'none') return expect(await shell('true')).toContain('no sandbox');
    const narrow = shellTool.narrowed(['echo *', 'env', 'ls no-such-file', 'no-such-program']);
    expect(narrow.spec.description).toContain('Allowed here: echo *; env; ls no-such-file; no-such-program.');
    expect(await shell(`echo 'a;  $(id)' "b | c" "" d`, {}, narrow)).toBe('exit code 0\nstdout:\na;  $(id) b | c  d');
    expect(await shell('env', {}, narrow)).not.toMatch(/SHLVL|BASH/);
    expect(await shell('ls no-such-file', {}, narrow)).toMatch(/^error: shell: the command ended with exit code 2/);
    expect(await shell('no-such-program', {}, narrow)).toMatch(/^error: .*no-such-program/s);
    for (const command of ['touch ran', 'echo x > ran', 'echo x; touch ran', 'echo $(touch ran)', 'echo\ntouch ran']) {
      expect(await shell(command, {}, narrow), command).toMatch(
        /^error: shell: this command is not allowed: .*Nothing was run/,
      );
    }
    expect(existsSync(join(work, 'ran'))).toBe(false);
  },
);

it('starts no program that lies in its own folder', async () => {
  const { shell, work } = step({ sandbox: OFF });
  mkdirSync(join(work, 'bin'));
  writeFileSync(join(work, 'date'), '#!/bin/sh\ntouch ran\n', { mode: 0o700 });
  await shell('date', {}, shellTool.narrowed(['date']));
  expect(existsSync(join(work, 'ran'))).toBe(false);
});
