import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startOwnSession } from '../../src/process/own-session.js';

let nowhere: number;
beforeEach(() => {
  nowhere = openSync('/dev/null', 'w');
});
afterEach(() => closeSync(nowhere));

const started = (argv: readonly [string, ...string[]], cwd = tmpdir()) =>
  startOwnSession({ argv, cwd, env: { PATH: process.env.PATH }, stdout: nowhere, stderr: nowhere });

it('starts a program that leads a group of its own, and tells how it ended', async () => {
  const { pid, ended } = await started(['sleep', '300']);
  // Refused for a number that leads no group.
  process.kill(-pid, 'SIGTERM');
  expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
  const failed = await started(['bash', '-c', 'exit 3']);
  expect(await failed.ended).toEqual({ code: 3, signal: null });
});

it('says of what cannot be started why, and what to do', async () => {
  await expect(started(['no-such-program'])).rejects.toMatchObject({
    data: { code: 'shell.missing', hint: 'Install it, or put its folder into PATH.' },
  });
  await expect(started(['true'], join(tmpdir(), 'no-such-folder'))).rejects.toMatchObject({
    data: { code: 'step.path', message: expect.stringContaining('no-such-folder') },
  });
});
