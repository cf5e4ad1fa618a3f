/** The folders of the disk in memory: which node stands at a path, through links and open folders. */
import { systemError } from './error.js';
import type { FileNode, FolderNode, Meta, Node } from './node.js';
import { cutTails, type Name, unsyncedNames } from './unsynced.js';

const MAX_LINKS = 20;
const NOTHING = Buffer.alloc(0);

interface Place {
  readonly parent: FolderNode | undefined;
  readonly name: string;
  readonly node: Node | undefined;
}

/** Why nothing can stand at a path. */
type Dead = 'ENOENT' | 'ENOTDIR' | 'ELOOP' | 'EBADF';

export interface Tree {
  /** Throws where a folder on the way is missing; the last part may be. */
  walk(path: string, syscall: string, follow: boolean): Place;
  /** The same without an error, which takes longer to make than a walk. */
  find(path: string, follow: boolean): Place | Dead;
  existing(path: string, syscall: string, follow?: boolean): Node;
  put(parent: FolderNode | undefined, name: string, node: Node): void;
  remove(parent: FolderNode, name: string): void;
  move(from: Name, to: Name, node: Node): void;
  /** What has happened to its names survives a power cut. */
  synced(folder: FolderNode): void;
  /**
   * The power fails: of what was not synced so much stays.
   * @param names of 0 to 1, the earlier ones first
   * @param bytes of 0 to 1, of each file from its beginning
   */
  losePower(names: number, bytes: number): void;
  pathOf(folder: FolderNode): string;
  newFile(mode: number): FileNode;
  newFolder(mode: number, parent: FolderNode | undefined, name: string): FolderNode;
  newLink(target: string): Node;
  /** A folder goes or moves. */
  forgetFolders(): void;
  wipe(): void;
}

/** @param opened files and folders by their descriptors: `/proc/self/fd/<n>` leads there */
export function createTree(
  root: string,
  opened: ReadonlyMap<number, { readonly node: Node }>,
  now: () => number,
): Tree {
  let inodes = 0;
  const meta = (mode: number): Meta => ({ mode, ino: ++inodes, mtimeMs: now() });
  const newFolder = (mode: number, parent: FolderNode | undefined, name: string): FolderNode => ({
    type: 'folder',
    entries: new Map(),
    parent,
    name,
    ...meta(mode),
  });
  let top: FolderNode;

  const pathOf = (node: FolderNode): string => (node.parent ? `${pathOf(node.parent)}/${node.name}` : root);

  /** Where a walk begins, and what is left of the path. */
  const startOf = (path: string): { readonly from: Node | undefined; readonly rest: string } => {
    if (path.startsWith('/proc/self/fd/')) {
      const [number = '', ...rest] = path.slice('/proc/self/fd/'.length).split('/');
      return { from: opened.get(Number(number))?.node, rest: rest.join('/') };
    }
    return { from: top, rest: path.slice(root.length) };
  };
  const find = (path: string, follow: boolean, links = 0): Place | Dead => {
    const near = links === 0 ? nearby(path) : undefined;
    if (near) {
      const node = near.folder.entries.get(near.name);
      if (node?.type !== 'link' || !follow) return { parent: near.folder, name: near.name, node };
    }
    const { from, rest } = startOf(path);
    if (!from) return 'EBADF';
    const parts = rest.split('/');
    let node: Node = from;
    let parent: FolderNode | undefined;
    let name = '';
    let last = parts.length - 1;
    while (last >= 0 && (parts[last] === '' || parts[last] === '.')) last--;
    for (let at = 0; at <= last; at++) {
      const part = parts[at] as string;
      if (part === '' || part === '.') continue;
      if (node.type !== 'folder') return 'ENOTDIR';
      if (part === '..') {
        node = node.parent ?? node;
        continue;
      }
      parent = node;
      name = part;
      const next: Node | undefined = node.entries.get(part);
      const isLast = at === last;
      if (!next) {
        return isLast ? { parent, name, node: undefined } : 'ENOENT';
      }
      if (next.type === 'link' && (!isLast || follow)) {
        if (links >= MAX_LINKS) return 'ELOOP';
        const target = next.target.startsWith('/') ? next.target : `${pathOf(parent)}/${next.target}`;
        const remainder = parts.slice(at + 1, last + 1).join('/');
        return find(remainder === '' ? target : `${target}/${remainder}`, follow, links + 1);
      }
      node = next;
    }
    return { parent, name, node };
  };
  const walk = (path: string, syscall: string, follow: boolean): Place => {
    const place = find(path, follow);
    if (typeof place === 'string') throw systemError(place, syscall, path);
    return place;
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
  const unsynced = unsyncedNames();
  const place = ({ folder, name }: Name, node: Node) => {
    folder.entries.set(name, node);
    folder.mtimeMs = now();
  };
  return {
    walk,
    find: (path, follow) => find(path, follow),
    existing,
    put(folder, name, node) {
      if (!folder) return;
      unsynced.changing({ folder, name });
      place({ folder, name }, node);
    },
    remove(folder, name) {
      unsynced.changing({ folder, name });
      folder.entries.delete(name);
    },
    move(from, to, node) {
      unsynced.changing(from, to);
      from.folder.entries.delete(from.name);
      if (node.type === 'folder') Object.assign(node, { parent: to.folder, name: to.name });
      place(to, node);
    },
    synced: unsynced.synced,
    losePower(names, bytes) {
      unsynced.takeBack(names);
      folders.clear();
      cutTails(top, bytes);
    },
    pathOf,
    newFile: (mode) => ({ type: 'file', bytes: NOTHING, size: 0, safe: 0, ...meta(mode) }),
    newFolder,
    newLink: (target) => ({ type: 'link', target, ...meta(0o777) }),
    forgetFolders: () => folders.clear(),
    wipe() {
      inodes = 0;
      unsynced.forget();
      folders.clear();
      top = newFolder(0o755, undefined, '');
    },
  };
}
