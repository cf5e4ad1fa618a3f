/** What no sync has brought to the disk in memory yet, and how a power cut takes it away. */
import type { FolderNode, Node } from './node.js';

export interface Name {
  readonly folder: FolderNode;
  readonly name: string;
}

export interface UnsyncedNames {
  /** Told before they change. @param at names that change together, or not at all */
  changing(...at: readonly Name[]): void;
  /** What has happened to its names stays. */
  synced(folder: FolderNode): void;
  /** All but a share of the changes are taken back, the last ones first. @param share from 0 to 1 */
  takeBack(share: number): void;
  forget(): void;
}

export function unsyncedNames(): UnsyncedNames {
  let loose: { readonly at: readonly Name[]; undo(): void }[] = [];
  return {
    changing(...at) {
      const before = at.map(({ folder, name }) => folder.entries.get(name));
      loose.push({ at, undo: () => restore(at, before) });
    },
    synced(folder) {
      loose = loose.filter(({ at }) => at.every((one) => one.folder !== folder));
    },
    takeBack(share) {
      for (const { undo } of loose.slice(Math.floor(loose.length * share)).reverse()) undo();
      loose = [];
    },
    forget() {
      loose = [];
    },
  };
}

function restore(at: readonly Name[], before: readonly (Node | undefined)[]): void {
  for (const [index, { folder, name }] of at.entries()) {
    const node = before[index];
    if (node) folder.entries.set(name, node);
    else folder.entries.delete(name);
  }
}

/** Of each file below: its bytes that were not synced are cut. @param share of them that stays, from 0 to 1 */
export function cutTails(folder: FolderNode, share: number): void {
  for (const [name, node] of folder.entries) {
    if (node.type === 'file') {
      node.size = node.safe + Math.floor((node.size - node.safe) * share);
      node.safe = node.size;
    } else if (node.type === 'folder') {
      // Where a move was taken back it has its earlier name.
      node.parent = folder;
      node.name = name;
      cutTails(node, share);
    }
  }
}
