/** A disk in memory: what node:fs does to folders, files and links, as far as a run does it, with a guard before whatever changes it. */
import { constants } from 'node:fs';
import type { FileLayer } from '../files/layer.js';

interface Meta {
  mode: number;
  readonly ino: number;
  mtimeMs: number;
}
interface FileNode extends Meta {
  readonly type: 'file';
  /** Only the first `size` bytes count. */
  bytes: Buffer;
  size: number;
}
interface FolderNode extends Meta {
  readonly type: 'folder';
  readonly entries: Map<string, Node>;
  parent: FolderNode | undefined;
  name: string;
}
interface LinkNode extends Meta {
  readonly type: 'link';
  readonly target: string;
}
type Node = FileNode | FolderNode | LinkNode;

/** What is about to change the disk. */
export type Change = 'create' | 'write' | 'sync' | 'rename' | 'remove' | 'meta';

export interface Disk {
  /** Every path of it begins with this. Absolute. */
  readonly root: string;
  /** Asked before each change: it may throw in its place; of a write it says how many bytes come to be, and what is thrown then. */
  guard:
    | ((change: Change, path: string, bytes: number) => { readonly bytes: number; readonly error: unknown } | undefined)
    | undefined;
  /** Set: nothing can be read or changed; every operation throws this. */
  dead: unknown;
  /** Set while a run is simulated: then nothing else may be changed. */
  isInUse: boolean;
  /** How often it was used: tells whether something still goes on. */
  uses(): number;
  now: () => number;
  /** All files and folders go; open files are closed. */
  wipe(): void;
  closeAll(): void;
  open(path: string, flags: number | string, mode?: number): number;
  close(fd: number): void;
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number | null): number;
  write(fd: number, bytes: Uint8Array, position?: number | null): number;
  sync(fd: number): void;
  truncate(fd: number, bytes: number): void;
  statOf(fd: number): DiskStats;
  stat(path: string, follow: boolean): DiskStats | undefined;
  list(path: string): { readonly name: string; readonly stats: DiskStats }[];
  mkdir(path: string, mode: number | undefined): void;
  rmdir(path: string): void;
  unlink(path: string): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  symlink(target: string, path: string): void;
  readlink(path: string): string;
  realpath(path: string): string;
  chmod(path: string, mode: number): void;
  readFile(pathOrFd: string | number): Buffer;
}

export const FIRST_FD = 1_000_000_000;
const MAX_LINKS = 20;
const KINDS = { file: 0o100000, folder: 0o040000, link: 0o120000 } as const;

const UID = process.getuid?.() ?? 0;

export class DiskStats {
  readonly dev: number;
  readonly nlink: number;
  readonly uid: number;
  readonly ino: number;
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  constructor(node: Node) {
    this.dev = 77;
    this.nlink = 1;
    this.uid = UID;
    this.ino = node.ino;
    this.mode = KINDS[node.type] | node.mode;
    this.size = node.type === 'file' ? node.size : 0;
    this.mtimeMs = node.mtimeMs;
  }
  get mtime(): Date {
    return new Date(this.mtimeMs);
  }
  get ctimeMs(): number {
    return this.mtimeMs;
  }
  isFile(): boolean {
    return (this.mode & 0o170000) === KINDS.file;
  }
  isDirectory(): boolean {
    return (this.mode & 0o170000) === KINDS.folder;
  }
  isSymbolicLink(): boolean {
    return (this.mode & 0o170000) === KINDS.link;
  }
  isFIFO(): boolean {
    return false;
  }
  isSocket(): boolean {
    return false;
  }
  isBlockDevice(): boolean {
    return false;
  }
  isCharacterDevice(): boolean {
    return false;
  }
}

interface OpenFile {
  readonly node: Node;
  readonly path: string;
  readonly flags: number;
  position: number;
}

const ERRNO: Readonly<Record<string, number>> = {
  ENOENT: -2,
  EEXIST: -17,
  ENOTDIR: -20,
  EISDIR: -21,
  EBADF: -9,
  ELOOP: -40,
  ENOTEMPTY: -39,
  EINVAL: -22,
  ENOSPC: -28,
  EIO: -5,
};

export function systemError(code: string, syscall: string, path: string): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(`${code}: ${syscall} '${path}'`), {
    code,
    syscall,
    path,
    errno: ERRNO[code] ?? -1,
  });
  Error.stackTraceLimit = limit;
  return error;
}

const TEXT_FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

/** @param root absolute, without a `/` at its end; a folder of the disk from the beginning */
export function createDisk(root: string): Disk {
  let inodes = 0;
  let uses = 0;
  let fds = FIRST_FD;
  const opened = new Map<number, OpenFile>();
  const meta = (mode: number): Meta => ({ mode, ino: ++inodes, mtimeMs: disk.now() });
  const folder = (mode: number, parent: FolderNode | undefined, name: string): FolderNode => ({
    type: 'folder',
    entries: new Map(),
    parent,
    name,
    ...meta(mode),
  });
  let top: FolderNode;

  const used = () => {
    uses++;
    if (disk.dead !== undefined) throw disk.dead;
  };
  const changing = (change: Change, path: string, bytes = 0) => {
    used();
    return disk.guard?.(change, path, bytes);
  };
  const fileOf = (fd: number): OpenFile => {
    const file = opened.get(fd);
    if (!file) throw systemError('EBADF', 'fd', String(fd));
    return file;
  };
  const pathOf = (node: FolderNode): string => (node.parent ? `${pathOf(node.parent)}/${node.name}` : root);

  /** Where a walk begins, and what is left of the path. */
  const startOf = (path: string): { readonly from: Node; readonly rest: string } => {
    if (path.startsWith('/proc/self/fd/')) {
      const [number = '', ...rest] = path.slice('/proc/self/fd/'.length).split('/');
      return { from: fileOf(Number(number)).node, rest: rest.join('/') };
    }
    return { from: top, rest: path.slice(root.length) };
  };
  const walk = (
    path: string,
    syscall: string,
    follow: boolean,
    links = 0,
  ): { readonly parent: FolderNode | undefined; readonly name: string; readonly node: Node | undefined } => {
    const near = links === 0 ? nearby(path) : undefined;
    if (near) {
      const node = near.folder.entries.get(near.name);
      if (node?.type !== 'link' || !follow) return { parent: near.folder, name: near.name, node };
    }
    const { from, rest } = startOf(path);
    const parts = rest.split('/');
    let node: Node = from;
    let parent: FolderNode | undefined;
    let name = '';
    let last = parts.length - 1;
    while (last >= 0 && (parts[last] === '' || parts[last] === '.')) last--;
    for (let at = 0; at <= last; at++) {
      const part = parts[at] as string;
      if (part === '' || part === '.') continue;
      if (node.type !== 'folder') throw systemError('ENOTDIR', syscall, path);
      if (part === '..') {
        node = node.parent ?? node;
        continue;
      }
      parent = node;
      name = part;
      const next: Node | undefined = node.entries.get(part);
      const isLast = at === last;
      if (!next) {
        if (isLast) return { parent, name, node: undefined };
        throw systemError('ENOENT', syscall, path);
      }
      if (next.type === 'link' && (!isLast || follow)) {
        if (links >= MAX_LINKS) throw systemError('ELOOP', syscall, path);
        const target = next.target.startsWith('/') ? next.target : `${pathOf(parent)}/${next.target}`;
        const remainder = parts.slice(at + 1, last + 1).join('/');
        return walk(remainder === '' ? target : `${target}/${remainder}`, syscall, follow, links + 1);
      }
      node = next;
    }
    return { parent, name, node };
  };
  /** The folder of a plain path, remembered as long as no folder goes or moves. */
  const folders = new Map<string, FolderNode>();
  const nearby = (path: string): { readonly folder: FolderNode; readonly name: string } | undefined => {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (name === '' || name === '.' || name === '..') return undefined;
    const above = path.slice(0, slash);
    if (above.startsWith('/proc/')) {
      const node = /^\/proc\/self\/fd\/\d+$/.test(above) ? opened.get(Number(above.slice(14)))?.node : undefined;
      return node?.type === 'folder' ? { folder: node, name } : undefined;
    }
    if (above.length < root.length) return undefined;
    let folder = folders.get(above);
    if (!folder) {
      if (above === root) folder = top;
      else {
        const around = nearby(above);
        const node = around?.folder.entries.get(around.name);
        if (node?.type !== 'folder') return undefined;
        folder = node;
      }
      folders.set(above, folder);
    }
    return { folder, name };
  };
  const existing = (path: string, syscall: string, follow = true): Node => {
    const { node } = walk(path, syscall, follow);
    if (!node) throw systemError('ENOENT', syscall, path);
    return node;
  };
  const put = (parent: FolderNode | undefined, name: string, node: Node) => {
    parent?.entries.set(name, node);
    if (parent) parent.mtimeMs = disk.now();
  };
  const grow = (file: FileNode, size: number) => {
    if (file.bytes.length >= size) return;
    const bytes = Buffer.alloc(Math.max(size, file.bytes.length * 2, 64));
    file.bytes.copy(bytes, 0, 0, file.size);
    file.bytes = bytes;
  };

  const disk: Disk = {
    root,
    guard: undefined,
    dead: undefined,
    isInUse: false,
    now: () => 0,
    uses: () => uses,
    wipe() {
      inodes = 0;
      opened.clear();
      folders.clear();
      top = folder(0o755, undefined, '');
    },
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
        node = { type: 'file', bytes: Buffer.alloc(0), size: 0, ...meta(mode & 0o777 & ~0o22) };
        put(found.parent, found.name, node);
      }
      const writes = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
      if (node.type === 'folder' && writes) throw systemError('EISDIR', 'open', path);
      if (node.type === 'file' && (flags & constants.O_DIRECTORY) !== 0) throw systemError('ENOTDIR', 'open', path);
      if (node.type === 'file' && (flags & constants.O_TRUNC) !== 0 && node.size > 0) {
        changing('write', path);
        node.size = 0;
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
      node.bytes.set(whole, at);
      node.size = Math.max(node.size, at + whole.length);
      node.mtimeMs = disk.now();
      if (position === null) file.position = at + whole.length;
      if (torn) throw torn.error;
      return whole.length;
    },
    sync(fd) {
      changing('sync', fileOf(fd).path);
    },
    truncate(fd, bytes) {
      const { node, path } = fileOf(fd);
      if (node.type !== 'file') throw systemError('EINVAL', 'ftruncate', path);
      changing('write', path);
      grow(node, bytes);
      if (bytes > node.size) node.bytes.fill(0, node.size, bytes);
      node.size = bytes;
    },
    statOf: (fd) => new DiskStats(fileOf(fd).node),
    stat(path, follow) {
      used();
      try {
        const { node } = walk(path, 'stat', follow);
        return node && new DiskStats(node);
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    list(path) {
      used();
      const node = existing(path, 'scandir');
      if (node.type !== 'folder') throw systemError('ENOTDIR', 'scandir', path);
      const names = [...node.entries.keys()];
      if (names.length > 1) names.sort();
      return names.map((name) => ({ name, stats: new DiskStats(node.entries.get(name) as Node) }));
    },
    mkdir(path, mode = 0o777) {
      used();
      const { parent, name, node } = walk(path, 'mkdir', false);
      if (node) throw systemError('EEXIST', 'mkdir', path);
      changing('create', path);
      put(parent, name, folder(mode & ~0o22, parent, name));
    },
    rmdir(path) {
      used();
      const { parent, name, node } = walk(path, 'rmdir', false);
      if (!node) throw systemError('ENOENT', 'rmdir', path);
      if (node.type !== 'folder') throw systemError('ENOTDIR', 'rmdir', path);
      if (node.entries.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
      changing('remove', path);
      folders.clear();
      parent?.entries.delete(name);
    },
    unlink(path) {
      used();
      const { parent, name, node } = walk(path, 'unlink', false);
      if (!node) throw systemError('ENOENT', 'unlink', path);
      if (node.type === 'folder') throw systemError('EISDIR', 'unlink', path);
      changing('remove', path);
      parent?.entries.delete(name);
    },
    rename(from, to) {
      used();
      const source = walk(from, 'rename', false);
      const target = walk(to, 'rename', false);
      if (!source.node || !source.parent) throw systemError('ENOENT', 'rename', from);
      if (source.node === target.node) return;
      if (target.node?.type === 'folder') {
        if (source.node.type !== 'folder') throw systemError('EISDIR', 'rename', to);
        if (target.node.entries.size > 0) throw systemError('ENOTEMPTY', 'rename', to);
      }
      changing('rename', to);
      if (source.node.type === 'folder') folders.clear();
      source.parent.entries.delete(source.name);
      if (source.node.type === 'folder') {
        source.node.parent = target.parent;
        source.node.name = target.name;
      }
      put(target.parent, target.name, source.node);
    },
    link(from, to) {
      used();
      const node = existing(from, 'link', false);
      const target = walk(to, 'link', false);
      if (target.node) throw systemError('EEXIST', 'link', to);
      changing('create', to);
      put(target.parent, target.name, node);
    },
    symlink(target, path) {
      used();
      const { parent, name, node } = walk(path, 'symlink', false);
      if (node) throw systemError('EEXIST', 'symlink', path);
      changing('create', path);
      put(parent, name, { type: 'link', target, ...meta(0o777) });
    },
    readlink(path) {
      used();
      if (/^\/proc\/self\/fd\/\d+$/.test(path)) {
        const { node, path: given } = fileOf(Number(path.slice(14)));
        return node.type === 'folder' ? pathOf(node) : disk.realpath(given);
      }
      const node = existing(path, 'readlink', false);
      if (node.type !== 'link') throw systemError('EINVAL', 'readlink', path);
      return node.target;
    },
    realpath(path) {
      used();
      const { parent, name, node } = walk(path, 'realpath', true);
      if (!node) throw systemError('ENOENT', 'realpath', path);
      if (node.type === 'folder') return pathOf(node);
      return parent ? `${pathOf(parent)}/${name}` : root;
    },
    chmod(path, mode) {
      changing('meta', path);
      existing(path, 'chmod').mode = mode & 0o777;
    },
    readFile(file) {
      used();
      const node = typeof file === 'number' ? fileOf(file).node : existing(file, 'open');
      if (node.type !== 'file') throw systemError('EISDIR', 'read', String(file));
      return Buffer.from(node.bytes.subarray(0, node.size));
    },
  };
  top = folder(0o755, undefined, '');
  return disk;
}

/** The disk as the engine's file layer. */
export function filesOn(disk: Disk): FileLayer {
  return {
    open: disk.open,
    write: disk.write,
    fsync: disk.sync,
    fsyncAsync: async (fd) => disk.sync(fd),
    truncate: disk.truncate,
    close: disk.close,
    rename: disk.rename,
    link: disk.link,
    unlink: disk.unlink,
    mkdir: disk.mkdir,
    chmod: disk.chmod,
    copy(from, to) {
      const fd = disk.open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
      try {
        disk.write(fd, disk.readFile(from));
      } finally {
        disk.close(fd);
      }
    },
    read: disk.readFile,
  };
}
