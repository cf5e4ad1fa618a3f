/** The functions of node:fs on the disk in memory. */
import fs from 'node:fs';
import type { Disk } from './disk.js';
import { systemError } from './error.js';
import type { DiskStats } from './node.js';

// biome-ignore lint/suspicious/noExplicitAny: as node:fs takes them
export type Any = any;
export type Fn = (...args: Any[]) => Any;

/** By the name that they have in node:fs without `Sync`. */
export function operationsOn(disk: Disk): Record<string, Fn> {
  const there = (path: string, syscall: string, follow: boolean, options?: { throwIfNoEntry?: boolean }) => {
    const stats = disk.stat(path, follow);
    if (!stats && options?.throwIfNoEntry !== false) throw systemError('ENOENT', syscall, path);
    return stats;
  };
  const encoded = (bytes: Buffer, options?: string | { encoding?: BufferEncoding } | null) => {
    const encoding = typeof options === 'string' ? (options as BufferEncoding) : options?.encoding;
    return encoding ? bytes.toString(encoding) : bytes;
  };
  const bytesOf = (content: string | Uint8Array): Uint8Array =>
    typeof content === 'string' ? Buffer.from(content) : content;
  const writeAll = (path: string | number, content: string | Uint8Array, flags: string, mode?: number) => {
    const fd = typeof path === 'number' ? path : disk.open(path, flags, mode);
    try {
      const bytes = bytesOf(content);
      if (bytes.length > 0) disk.write(fd, bytes);
    } finally {
      if (typeof path !== 'number') disk.close(fd);
    }
  };
  const removeAll = (path: string) => {
    if (!disk.stat(path, false)?.isDirectory()) return disk.unlink(path);
    for (const { name } of disk.list(path)) removeAll(`${path}/${name}`);
    disk.rmdir(path);
  };
  const make = (path: string, options?: { recursive?: boolean; mode?: number } | number): string | undefined => {
    const { recursive = false, mode } = typeof options === 'object' ? options : { mode: options };
    if (!recursive) return void disk.mkdir(path, mode);
    const there = disk.stat(path, true);
    if (there?.isDirectory()) return undefined;
    if (there) throw systemError('EEXIST', 'mkdir', path);
    const above = path.slice(0, path.lastIndexOf('/'));
    const first = above.length > disk.root.length ? make(above, options) : undefined;
    disk.mkdir(path, mode);
    return first ?? path;
  };
  const flagOf = (options: string | { flag?: string } | undefined, other: string) =>
    (typeof options === 'object' ? options?.flag : undefined) ?? other;
  const modeOf = (options: { mode?: number } | string | undefined) =>
    typeof options === 'object' ? options?.mode : undefined;
  /** From the machine's disk, too. */
  const contentOf = (path: string): Buffer => fs.readFileSync(path);
  return {
    access: (path) => void there(path, 'access', true),
    exists(path) {
      try {
        return disk.stat(path, true) !== undefined;
      } catch (error) {
        if (error === disk.dead) throw error;
        return false;
      }
    },
    open: (path, flags = 'r', mode) => disk.open(path, flags, mode),
    close: (fd) => disk.close(fd),
    read(fd, into: Uint8Array, ...rest) {
      const [first, length, position] = rest;
      if (typeof first === 'object' && first !== null) {
        const { offset = 0, length: most = into.byteLength - offset, position: at = null } = first;
        return disk.read(fd, into, offset, most, at);
      }
      return disk.read(fd, into, first ?? 0, length ?? into.byteLength - (first ?? 0), position ?? null);
    },
    write(fd, content, ...rest) {
      if (typeof content === 'string') return disk.write(fd, Buffer.from(content), rest[0] ?? null);
      const [offset = 0, length = content.byteLength - offset, position = null] = rest;
      return disk.write(fd, content.subarray(offset, offset + length), position);
    },
    fsync: (fd) => disk.sync(fd),
    fdatasync: (fd) => disk.sync(fd),
    ftruncate: (fd, bytes = 0) => disk.truncate(fd, bytes),
    truncate(path, bytes = 0) {
      const fd = disk.open(path, 'r+');
      disk.truncate(fd, bytes);
      disk.close(fd);
    },
    fstat: (fd) => disk.statOf(fd),
    stat: (path, options) => there(path, 'stat', true, options),
    lstat: (path, options) => there(path, 'lstat', false, options),
    readdir(path, options) {
      const entries = disk.list(path);
      return options?.withFileTypes
        ? entries.map(({ name, stats }) => entryOf(name, path, stats))
        : entries.map(({ name }) => name);
    },
    mkdir: make,
    rmdir: (path) => disk.rmdir(path),
    rm(path, options = {}) {
      const found = disk.stat(path, false);
      if (!found) {
        if (options.force) return;
        throw systemError('ENOENT', 'rm', path);
      }
      if (found.isDirectory() && !options.recursive) throw systemError('EISDIR', 'rm', path);
      removeAll(path);
    },
    unlink: (path) => disk.unlink(path),
    rename: (from, to) => disk.rename(from, to),
    link: (from, to) => disk.link(from, to),
    symlink: (target, path) => disk.symlink(target, path),
    readlink: (path) => disk.readlink(path),
    realpath: (path) => disk.realpath(path),
    chmod: (path, mode) => disk.chmod(path, mode),
    copyFile(from, to, mode = 0) {
      if ((mode & fs.constants.COPYFILE_EXCL) !== 0 && disk.stat(to, true)) throw systemError('EEXIST', 'copyfile', to);
      writeAll(to, contentOf(from), 'w');
    },
    cp(from, to) {
      const copy = (one: string, other: string) => {
        if (!fs.statSync(one).isDirectory()) return writeAll(other, contentOf(one), 'w');
        make(other, { recursive: true });
        for (const name of fs.readdirSync(one)) copy(`${one}/${name}`, `${other}/${name}`);
      };
      copy(from, to);
    },
    readFile: (path, options) => encoded(disk.readFile(path), options),
    writeFile: (path, content, options) => writeAll(path, content, flagOf(options, 'w'), modeOf(options)),
    appendFile: (path, content, options) => writeAll(path, content, 'a', modeOf(options)),
    utimes: () => undefined,
  };
}

function entryOf(name: string, path: string, stats: DiskStats) {
  return {
    name,
    parentPath: path,
    path,
    isFile: () => stats.isFile(),
    isDirectory: () => stats.isDirectory(),
    isSymbolicLink: () => stats.isSymbolicLink(),
    isFIFO: () => false,
    isSocket: () => false,
    isBlockDevice: () => false,
    isCharacterDevice: () => false,
  };
}
