/** What the disk in memory does to names: folders, links, moves. */
import { systemError } from './error.js';
import { DiskStats, type Node } from './node.js';
import type { Tree } from './tree.js';
import type { Watch } from './watch.js';

export interface NameOperations {
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
}

export function nameOperations(
  root: string,
  tree: Tree,
  opened: ReadonlyMap<number, { readonly node: Node; readonly path: string }>,
  { used, changing }: Watch,
): NameOperations {
  const { walk, find, existing, put, pathOf } = tree;
  const operations: NameOperations = {
    stat(path, follow) {
      used();
      const place = find(path, follow);
      if (place === 'ENOENT') return undefined;
      if (typeof place === 'string') throw systemError(place, 'stat', path);
      return place.node && new DiskStats(place.node);
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
      put(parent, name, tree.newFolder(mode & ~0o22, parent, name));
    },
    rmdir(path) {
      used();
      const { parent, name, node } = walk(path, 'rmdir', false);
      if (!node) throw systemError('ENOENT', 'rmdir', path);
      if (node.type !== 'folder') throw systemError('ENOTDIR', 'rmdir', path);
      if (node.entries.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
      changing('remove', path);
      tree.forgetFolders();
      if (parent) tree.remove(parent, name);
    },
    unlink(path) {
      used();
      const { parent, name, node } = walk(path, 'unlink', false);
      if (!node) throw systemError('ENOENT', 'unlink', path);
      if (node.type === 'folder') throw systemError('EISDIR', 'unlink', path);
      changing('remove', path);
      if (parent) tree.remove(parent, name);
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
      if (source.node.type === 'folder') tree.forgetFolders();
      if (target.parent) {
        const at = { folder: target.parent, name: target.name };
        tree.move({ folder: source.parent, name: source.name }, at, source.node);
      }
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
      put(parent, name, tree.newLink(target));
    },
    readlink(path) {
      used();
      if (/^\/proc\/self\/fd\/\d+$/.test(path)) {
        const file = opened.get(Number(path.slice(14)));
        if (!file) throw systemError('EBADF', 'fd', path.slice(14));
        return file.node.type === 'folder' ? pathOf(file.node) : operations.realpath(file.path);
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
  };
  return operations;
}
