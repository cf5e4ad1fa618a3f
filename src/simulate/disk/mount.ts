/** Puts a disk of memory in the place of one folder for node:fs in this thread: all other paths stay those of the machine. */
import fs, { constants } from 'node:fs';
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
  const refusalOf = (name: string, args: readonly Any[]) =>
    disk.isInUse && changes(name, args) ? systemError('EROFS', name, String(args[0])) : undefined;
  const outside = (name: string, real: Fn) => {
    const isRead = READING.has(name);
    return (...args: Any[]) => {
      const refusal = refusalOf(name, args);
      if (refusal) throw refusal;
      if (!isRead || !disk.isInUse || typeof args[0] !== 'string') return real(...args);
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
  for (const name of [...Object.keys(own), ...THEIRS_ALONE]) {
    const ours = own[name];
    const isMine = (args: readonly Any[]) =>
      ours !== undefined && (isOurs(args[0]) || isOurFd(args[0]) || (TWO_PATHS.has(name) && isOurs(args[1])));
    if (`${name}Sync` in fs) {
      replace(sync, `${name}Sync`, (real) => {
        const theirs = outside(name, real);
        return (...args) => (isMine(args) ? ours?.(...args) : theirs(...args));
      });
      replace(sync, name, (real) => (...args) => {
        const refusal = isMine(args) ? undefined : refusalOf(name, args);
        if (!isMine(args) && !refusal) return real(...args);
        const done = args.at(-1) as Fn;
        settled(() => {
          if (refusal) throw refusal;
          return ours?.(...args.slice(0, -1));
        }).then(
          (value) => done(null, value),
          (error) => done(error),
        );
      });
    }
    if (name in fs.promises) {
      replace(promises, name, (real) => (...args) => {
        if (isMine(args)) return settled(() => ours?.(...args));
        const refusal = refusalOf(name, args);
        return refusal ? Promise.reject(refusal) : real(...args);
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
  'copyFile',
  'cp',
  'utimes',
  'mkdtemp',
]);
/** What the disk in memory does not know how to do, and the machine does. */
const THEIRS_ALONE = ['mkdtemp'];
const READ_FLAGS = new Set(['r', 'rs', 'sr']);
const WRITING = constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC;
const TWO_PATHS = new Set(['rename', 'link', 'symlink', 'copyFile', 'cp']);

/** Whether a function of node:fs changes what its path names: a descriptor was opened before. */
function changes(name: string, [path, flags]: readonly Any[]): boolean {
  if (typeof path !== 'string' && !(path instanceof URL) && !Buffer.isBuffer(path)) return false;
  if (name !== 'open') return CHANGING.has(name);
  if (typeof flags === 'string') return !READ_FLAGS.has(flags);
  return typeof flags === 'number' && (flags & WRITING) !== 0;
}

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
