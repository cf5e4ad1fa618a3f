/** Open files of the disk in memory: reading, writing, and opening them. */
import { constants } from 'node:fs';
import { systemError } from './error.js';
import { DiskStats, type FileNode, type Node } from './node.js';
import type { Tree } from './tree.js';
import type { Watch } from './watch.js';

export const FIRST_FD = 1_000_000_000;

export interface OpenFile {
  readonly node: Node;
  readonly path: string;
  readonly flags: number;
  position: number;
}

const TEXT_FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

export interface FileOperations {
  /** As at the end of a process. */
  closeAll(): void;
  open(path: string, flags: number | string, mode?: number): number;
  close(fd: number): void;
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number | null): number;
  write(fd: number, bytes: Uint8Array, position?: number | null): number;
  sync(fd: number): void;
  truncate(fd: number, bytes: number): void;
  statOf(fd: number): DiskStats;
  readFile(pathOrFd: string | number): Buffer;
}

/** @param opened by descriptor: kept here, read by the tree */
export function fileOperations(
  tree: Tree,
  opened: Map<number, OpenFile>,
  { used, changing, now }: Watch,
): FileOperations {
  const { walk, existing } = tree;
  let fds = FIRST_FD;
  const fileOf = (fd: number): OpenFile => {
    const file = opened.get(fd);
    if (!file) throw systemError('EBADF', 'fd', String(fd));
    return file;
  };
  return {
    closeAll: () => opened.clear(),
    open(path, given, mode = 0o666) {
      used();
      const flags = typeof given === 'string' ? (TEXT_FLAGS[given] ?? constants.O_RDONLY) : given;
      const isNoFollow = (flags & constants.O_NOFOLLOW) !== 0;
      const found = walk(path, 'open', !isNoFollow);
      let { node } = found;
      if (node?.type === 'link') throw systemError('ELOOP', 'open', path);
      if (node && (flags & constants.O_CREAT) !== 0 && (flags & constants.O_EXCL) !== 0)
        throw systemError('EEXIST', 'open', path);
      if (!node) {
        if ((flags & constants.O_CREAT) === 0) throw systemError('ENOENT', 'open', path);
        changing('create', path);
        node = tree.newFile(mode & 0o777 & ~0o22);
        tree.put(found.parent, found.name, node);
      }
      const writes = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
      if (node.type === 'folder' && writes) throw systemError('EISDIR', 'open', path);
      if (node.type === 'file' && (flags & constants.O_DIRECTORY) !== 0) throw systemError('ENOTDIR', 'open', path);
      if (node.type === 'file' && (flags & constants.O_TRUNC) !== 0 && node.size > 0) {
        changing('write', path);
        node.size = 0;
        node.safe = 0;
      }
      opened.set(++fds, { node, path, flags, position: 0 });
      return fds;
    },
    close(fd) {
      used();
      fileOf(fd);
      opened.delete(fd);
    },
    read(fd, into, offset, length, position) {
      used();
      const file = fileOf(fd);
      if (file.node.type !== 'file') throw systemError('EISDIR', 'read', file.path);
      const from = position ?? file.position;
      const count = Math.max(0, Math.min(length, file.node.size - from));
      into.set(file.node.bytes.subarray(from, from + count), offset);
      if (position === null) file.position += count;
      return count;
    },
    write(fd, bytes, position = null) {
      const file = fileOf(fd);
      const { node } = file;
      if (node.type !== 'file') throw systemError('EISDIR', 'write', file.path);
      const torn = changing('write', file.path, bytes.length);
      const whole = torn ? bytes.subarray(0, torn.bytes) : bytes;
      const at = (file.flags & constants.O_APPEND) !== 0 ? node.size : (position ?? file.position);
      grow(node, at + whole.length);
      if (at > node.size) node.bytes.fill(0, node.size, at);
      node.bytes.set(whole, at);
      node.size = Math.max(node.size, at + whole.length);
      node.safe = Math.min(node.safe, at);
      node.mtimeMs = now();
      if (position === null) file.position = at + whole.length;
      if (torn) throw torn.error;
      return whole.length;
    },
    sync(fd) {
      const { node, path } = fileOf(fd);
      changing('sync', path);
      if (node.type === 'file') node.safe = node.size;
      else if (node.type === 'folder') tree.synced(node);
    },
    truncate(fd, bytes) {
      const { node, path } = fileOf(fd);
      if (node.type !== 'file') throw systemError('EINVAL', 'ftruncate', path);
      changing('write', path);
      grow(node, bytes);
      if (bytes > node.size) node.bytes.fill(0, node.size, bytes);
      node.size = bytes;
      node.safe = Math.min(node.safe, bytes);
    },
    statOf: (fd) => new DiskStats(fileOf(fd).node),
    readFile(file) {
      used();
      const node = typeof file === 'number' ? fileOf(file).node : existing(file, 'open');
      if (node.type !== 'file') throw systemError('EISDIR', 'read', String(file));
      return Buffer.from(node.bytes.subarray(0, node.size));
    },
  };
}

function grow(file: FileNode, size: number): void {
  if (file.bytes.length >= size) return;
  // Of Node's pool where it is small. What lies behind the size is never read.
  const bytes = Buffer.allocUnsafe(file.size === 0 ? size : Math.max(size, file.bytes.length * 2));
  file.bytes.copy(bytes, 0, 0, file.size);
  file.bytes = bytes;
}
