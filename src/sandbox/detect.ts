/** Which sandbox this machine has: found, and tried for real, because having the program says little. */
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Processes, Sandbox } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { bubblewrap, type Level, trial } from './bubblewrap.js';
import { sandboxExec } from './sandbox-exec.js';

export interface DetectOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: Processes;
}

const PATIENCE_MS = 10_000;
const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

export async function detectSandbox(options: DetectOptions): Promise<Sandbox> {
  const { platform, env } = options;
  if (platform === 'darwin') {
    if (isProgram(SANDBOX_EXEC)) return { type: 'on', name: 'sandbox-exec', confine: sandboxExec(SANDBOX_EXEC) };
    return { type: 'none', reason: 'sandbox-exec is missing', hint: 'It belongs to macOS.' };
  }
  if (platform !== 'linux') {
    return { type: 'none', reason: `there is none for ${platform}`, hint: 'Use Linux, macOS or WSL 2.' };
  }
  const bwrap = findProgram('bwrap', env);
  if (!bwrap) return { type: 'none', reason: 'bubblewrap is not installed', hint: 'Install the package bubblewrap.' };
  const full = await fails(bwrap, 'full', options);
  if (full === undefined) return { type: 'on', name: 'bubblewrap', confine: bubblewrap(bwrap, 'full') };
  const basic = await fails(bwrap, 'basic', options);
  if (basic === undefined) return { type: 'on', name: 'bubblewrap', confine: bubblewrap(bwrap, 'basic') };
  return { type: 'none', ...whyNot(basic, (file) => readSetting(file)) };
}

/** The first one in the absolute folders of PATH. */
export function findProgram(name: string, env: DetectOptions['env']): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What the trial said on its standard error; undefined if it went well. */
async function fails(bwrap: string, level: Level, { processes, env }: DetectOptions): Promise<string | undefined> {
  const work = mkdtempSync(join(tmpdir(), 'pipeline-sandbox-'));
  try {
    const { code, stderrTail } = await processes.run({
      step: '',
      work,
      argv: trial(bwrap, level),
      env: { PATH: env.PATH ?? '' },
      cwd: work,
      stdoutFile: join(work, 'stdout.log'),
      stderrFile: join(work, 'stderr.log'),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return code === 0 ? undefined : stderrTail.trim() || `it ended with exit code ${code}`;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param stderr of a bubblewrap that could not do its work
 * @param setting the text of a file of /proc/sys, '' if there is none
 */
export function whyNot(
  stderr: string,
  setting: (file: string) => string,
): { readonly reason: string; readonly hint: string } {
  const kernel = SETTINGS.find(({ file, value }) => setting(file) === value);
  if (kernel) return kernel;
  const said = SAID.find(({ pattern }) => pattern.test(stderr));
  if (said) return said;
  return { reason: `bubblewrap fails: ${stderr.split('\n')[0]}`, hint: 'Try it: bwrap --ro-bind / / true' };
}

const SETTINGS = [
  {
    file: 'kernel/unprivileged_userns_clone',
    value: '0',
    reason: 'the kernel forbids user namespaces',
    hint: 'sysctl kernel.unprivileged_userns_clone=1',
  },
  {
    file: 'user/max_user_namespaces',
    value: '0',
    reason: 'the kernel allows no user namespaces',
    hint: 'sysctl user.max_user_namespaces=10000',
  },
  {
    file: 'kernel/apparmor_restrict_unprivileged_userns',
    value: '1',
    reason: 'AppArmor forbids user namespaces',
    hint: 'Give bwrap an AppArmor profile with userns.',
  },
];

const SAID = [
  {
    pattern: /mount proc/i,
    reason: 'this container allows no new /proc',
    hint: 'Start it with --security-opt systempaths=unconfined.',
  },
  {
    pattern: /namespace|uid map|Operation not permitted/i,
    reason: 'user namespaces are forbidden, as in most containers',
    hint: 'Allow them (Docker: --security-opt seccomp=unconfined).',
  },
];

function readSetting(file: string): string {
  try {
    return readFileSync(join('/proc/sys', file), 'utf8').trim();
  } catch {
    return '';
  }
}
