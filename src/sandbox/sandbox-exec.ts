/** A command under macOS's sandbox-exec. UNTESTED: it was written from the documentation, and no test runs it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Confined, ConfinedStep } from '../core/context.js';
import { type View, viewOf } from './view.js';

const SYSTEM = ['/usr', '/bin', '/sbin', '/System', '/Library/Apple', '/opt/homebrew', '/private/var/db/dyld'];
const SYSTEM_FILES = ['/private/etc/passwd', '/private/etc/group', '/private/etc/hosts', '/private/etc/localtime'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'];

/** @param program absolute path of sandbox-exec */
export function sandboxExec(program: string) {
  return async (argv: readonly string[], step: ConfinedStep): Promise<Confined> => {
    const view = await viewOf(step);
    // There is no private /tmp here: a folder of the step's own, which is never published.
    const home = join(step.folders.step, 'home');
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return {
      argv: [program, '-p', profile(view, home, step.permissions.network), ...argv],
      env: { HOME: home, TMPDIR: home },
    };
  };
}

/** Of two rules about the same thing the later one counts. */
function profile(view: View, home: string, network: boolean): string {
  const { hidden, machinery } = view;
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork signal sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* (literal "/") ${subpaths([...SYSTEM, ...view.read, ...view.write])})`,
    `(allow file-read* ${literals([...SYSTEM_FILES, ...DEVICES])})`,
    `(allow file-write* ${literals(DEVICES)} ${subpaths(view.write)})`,
    ...rule('deny file-write*', subpaths(hidden.fixed)),
    ...rule('deny file*', subpaths([...hidden.folders, ...hidden.files])),
    `(allow file-read* ${subpaths([view.run])})`,
    `(deny file-write* ${subpaths([view.run])})`,
    ...rule('deny file*', subpaths(machinery.map(({ path }) => path))),
    `(allow file-read* file-write* ${subpaths([view.work, home])})`,
    ...rule('allow file-read*', literals(view.inputs === undefined ? [] : [view.inputs])),
    ...(network ? ['(allow network*)', '(allow mach-lookup)'] : ['(deny network*)']),
  ].join('\n');
}

function rule(what: string, paths: string): string[] {
  return paths === '' ? [] : [`(${what} ${paths})`];
}

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ');
}

function literals(paths: readonly string[]): string {
  return paths.map((path) => `(literal ${JSON.stringify(path)})`).join(' ');
}
