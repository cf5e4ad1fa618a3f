/** Puts a disk of memory in the place of one folder for node:fs in this thread: all other paths stay those of the machine. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Disk } from './disk.js';
import { systemError } from './error.js';
import { FIRST_FD } from './files.js';
import { type Any, type Fn, operationsOn } from './operations.js';

/** @returns takes the disk away again */
export function mountDisk(disk: Disk): () => void {
  const { root } = disk;
  const isOurs = (path: unknown): path is string => typeof path === 'string' && isBelow(path, root);
  const remembered = new Map<string, unknown>();
  /** While the disk is in use nothing of the machine is changed, and so what was read of it stays true. */
  const outside = (name: string, real: Fn) => {
    if (CHANGING.has(name)) {
      return (...args: Any[]) => {
        if (disk.isInUse && typeof args[0] === 'string') throw systemError('EROFS', name, args[0]);
        return real(...args);
      };
    }
    if (!READING.has(name)) return real;
    return (...args: Any[]) => {
      if (!disk.isInUse || typeof args[0] !== 'string') return real(...args);
      const key = `${name} ${args[0]} ${args[1] === undefined ? '' : JSON.stringify(args[1])}`;
      if (remembered.has(key)) return remembered.get(key);
      const value = real(...args);
      remembered.set(key, value);
      return value;
    };
  };
  const isOurFd = (fd: unknown): fd is number => typeof fd === 'number' && fd > FIRST_FD;
  const own = operationsOn(disk);
  const sync = fs as unknown as Record<string, Fn>;
  const promises = fs.promises as unknown as Record<string, Fn>;
  const before: (() => void)[] = [];
  const replace = (on: Record<string, Fn>, name: string, by: (real: Fn) => Fn) => {
    const real = on[name] as Fn;
    const made = Object.assign(by(real), real);
    before.push(() => {
      on[name] = real;
    });
    on[name] = made;
  };
  for (const [name, ours] of Object.entries(own)) {
    const isMine = (args: readonly Any[]) =>
      isOurs(args[0]) || isOurFd(args[0]) || (TWO_PATHS.has(name) && isOurs(args[1]));
    if (`${name}Sync` in fs) {
      replace(sync, `${name}Sync`, (real) => {
        const theirs = outside(name, real);
        return (...args) => (isMine(args) ? ours(...args) : theirs(...args));
      });
      replace(sync, name, (real) => (...args) => {
        if (!isMine(args)) return real(...args);
        const done = args.at(-1) as Fn;
        settled(() => ours(...args.slice(0, -1))).then(
          (value) => done(null, value),
          (error) => done(error),
        );
      });
    }
    if (name in fs.promises) {
      replace(promises, name, (real) => (...args) => {
        if (!isMine(args)) return real(...args);
        return settled(() => ours(...args));
      });
    }
  }
  const theirs = outside('exists', fs.existsSync);
  replace(sync, 'existsSync', () => (path) => {
    if (isOurs(path)) return own.exists?.(path);
    return theirs(path);
  });
  replace(
    promises,
    'watch',
    (real) =>
      (...args) =>
        isOurs(args[0]) ? neverChanges(args[1]?.signal) : real(...args),
  );
  const realpath = sync.realpathSync as Fn & { native: Fn };
  const native = realpath.native;
  realpath.native = (path: string) => (isOurs(path) ? disk.realpath(path) : native(path));
  syncBuiltinESMExports();
  return () => {
    for (const back of before.reverse()) back();
    syncBuiltinESMExports();
  };
}

const READING = new Set(['exists', 'stat', 'lstat', 'readdir', 'readFile', 'readlink', 'realpath']);
const CHANGING = new Set([
  'mkdir',
  'rmdir',
  'rm',
  'unlink',
  'rename',
  'link',
  'symlink',
  'chmod',
  'writeFile',
  'appendFile',
  'truncate',
]);
const TWO_PATHS = new Set(['rename', 'link', 'symlink', 'copyFile', 'cp']);

function isBelow(path: string, root: string): boolean {
  if (path.startsWith(root)) return path.length === root.length || path[root.length] === '/';
  return path.startsWith('/proc/self/fd/1') && Number.parseInt(path.slice(14), 10) > FIRST_FD;
}

async function settled<T>(work: () => T): Promise<T> {
  return work();
}

async function* neverChanges(signal: AbortSignal | undefined): AsyncGenerator<never> {
  await new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
