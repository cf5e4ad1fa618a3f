import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProcesses } from '../../src/process/run.js';
import { detectSandbox, whyNot } from '../../src/sandbox/detect.js';

const NO_SETTING = () => '';

/** With a program called bwrap, if it is given, as all that PATH holds. */
function detect(bwrap?: string, platform: NodeJS.Platform = 'linux') {
  const dir = mkdtempSync(join(tmpdir(), 'detect-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  if (bwrap !== undefined) writeFileSync(join(dir, 'bwrap'), bwrap, { mode: 0o700 });
  return detectSandbox({ platform, env: { PATH: `.:${dir}` }, processes: createProcesses({ marker: 'test' }) });
}

it('finds none where bubblewrap is not installed', async () => {
  expect(await detect()).toEqual({
    type: 'none',
    reason: 'bubblewrap is not installed',
    hint: 'Install the package bubblewrap.',
  });
});

it('believes a program only when it has done its work', async () => {
  expect(await detect('#!/bin/sh\nexit 0\n')).toMatchObject({ type: 'on', name: 'bubblewrap' });
  expect(await detect('#!/bin/sh\necho "bwrap: something new" >&2\nexit 1\n')).toMatchObject({ type: 'none' });
  expect(await detect('no program at all')).toMatchObject({ type: 'none' });
});

it('does without what an older bubblewrap lacks', async () => {
  const old = '#!/bin/sh\ncase "$*" in *--disable-userns*|*--size*) echo "bwrap: Unknown option" >&2; exit 1;; esac\n';
  expect(await detect(old)).toMatchObject({ type: 'on' });
});

it('has none for a system that it does not know', async () => {
  expect(await detect('', 'win32')).toMatchObject({ type: 'none', reason: 'there is none for win32' });
});

it.each([
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'this container allows no new /proc'],
  ['bwrap: Creating new namespace failed: Operation not permitted', 'user namespaces are forbidden'],
  ['bwrap: setting up uid map: Permission denied', 'user namespaces are forbidden'],
  ['bwrap: something new\nmore', 'bubblewrap fails: bwrap: something new'],
])('says of %j that %s', (stderr, reason) => {
  expect(whyNot(stderr, NO_SETTING).reason).toContain(reason);
});

it.each([
  ['kernel/unprivileged_userns_clone', '0', 'sysctl kernel.unprivileged_userns_clone=1'],
  ['user/max_user_namespaces', '0', 'sysctl user.max_user_namespaces=10000'],
  ['kernel/apparmor_restrict_unprivileged_userns', '1', 'AppArmor'],
])('names the setting %s of the kernel when it is the reason', (file, value, hint) => {
  const setting = (asked: string) => (asked === file ? value : '');
  expect(whyNot('bwrap: setting up uid map: Permission denied', setting).hint).toContain(hint);
});
