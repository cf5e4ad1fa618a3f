/** A command in bubblewrap (Linux): the system to read, the work folder to write, no network, no other process in sight. */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import type { Confined, ConfinedStep } from '../core/context.js';
import { isInside } from '../files/jail.js';
import { type View, viewOf } from './view.js';
import { witness } from './witness.js';

/** What programs need to run: no passwords, no keys, nothing of this machine's services. */
const ETC = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'fonts',
  'group',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'localtime',
  'magic',
  'magic.mime',
  'mime.types',
  'nsswitch.conf',
  'passwd',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
];
/** Where some systems keep their programs. */
const SYSTEM = ['/usr', '/nix/store', '/run/current-system'];
/** Folders of programs, or links into /usr. */
const TOP = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const HOME = '/tmp/home';
const TMP_BYTES = 512 * 1024 * 1024;

/** What older versions lack: a bound for /tmp, and that a command can make no sandbox of its own. */
export type Level = 'full' | 'basic';

/** @param bwrap absolute path of the program */
export function bubblewrap(bwrap: string, level: Level) {
  return async (argv: readonly string[], step: ConfinedStep): Promise<Confined> => {
    const view = await viewOf(step);
    const { network } = step.permissions;
    const confined = [...isolation(level, network), ...system(level, network), ...folders(view), '--chdir', view.work];
    // The environment is handed over as such: arguments can be read by every user of the machine.
    return { argv: [bwrap, ...confined, '--', ...witness(judged(view)), ...argv], env: { HOME, TMPDIR: '/tmp' } };
  };
}

/** The command that a trial runs: all of the isolation, none of a step's folders. */
export function trial(bwrap: string, level: Level): readonly string[] {
  return [bwrap, ...isolation(level, false), ...system(level, false), '--chdir', '/', '--', 'true'];
}

function isolation(level: Level, network: boolean): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    ...(network ? ['--share-net'] : []),
    ...(level === 'full' ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'sandbox',
  ];
}

function system(level: Level, network: boolean): string[] {
  return [
    ...SYSTEM.filter((path) => existsSync(path)).flatMap(readOnly),
    ...TOP.flatMap((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats) return [];
      return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : readOnly(path);
    }),
    ...[...ETC, ...(network ? ['resolv.conf'] : [])]
      .map((name) => `/etc/${name}`)
      .filter((path) => existsSync(path))
      .flatMap(readOnly),
    // Of root's own commands the kernel's switches would be writable: there uid 0 is uid 0 outside, without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev'],
    ...(level === 'full' ? ['--size', String(TMP_BYTES)] : []),
    ...['--tmpfs', '/tmp', '--dir', HOME],
  ];
}

/** What of the folders is not hidden in another one. */
function judged({ read, write, hidden }: View): string[] {
  return [...read, ...write].filter((path) => !hidden.folders.some((folder) => isInside(folder, path)));
}

/** What comes later is put over what came earlier. */
function folders(view: View): string[] {
  const byDepth = [
    ...view.read.map((path) => ['--ro-bind', path, path]),
    ...view.write.map((path) => ['--bind', path, path]),
  ].sort(([, a = ''], [, b = '']) => a.length - b.length);
  const emptied = view.machinery.flatMap(({ path, isFolder }) => (isFolder ? [path] : []));
  return [
    ...byDepth.flat(),
    ...view.hidden.fixed.flatMap(readOnly),
    ...view.hidden.folders.flatMap((path) => ['--tmpfs', path]),
    ...view.hidden.files.flatMap(nothing),
    ...readOnly(view.run),
    ...view.machinery.flatMap(({ path, isFolder }) => (isFolder ? ['--tmpfs', path] : nothing(path))),
    ...['--bind', view.work, view.work],
    ...(view.inputs === undefined ? [] : readOnly(view.inputs)),
    ...view.links.flatMap(({ path, to }) => ['--symlink', to, path]),
    // Last, because what was put into them had to be made there.
    ...[...view.hidden.folders, ...emptied, '/'].flatMap((path) => ['--remount-ro', path]),
  ];
}

function readOnly(path: string): string[] {
  return ['--ro-bind', path, path];
}

/** A device on a file system without devices: it cannot even be opened. */
function nothing(path: string): string[] {
  return ['--ro-bind', '/dev/null', path];
}
