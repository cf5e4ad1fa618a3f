/** A disk in memory: what node:fs does to folders, files and links, as far as a run does it, with a guard before whatever changes it. */
import { type FileOperations, fileOperations, type OpenFile } from './files.js';
import { type NameOperations, nameOperations } from './names.js';
import { createTree } from './tree.js';
import type { Change, Watch } from './watch.js';

export interface Disk extends FileOperations, NameOperations {
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
  /** The power fails: of the names and of the bytes that no sync has brought to the disk, this share stays, 0 to 1. */
  losePower(names: number, bytes: number): void;
  /** All files and folders go; open files are closed. */
  wipe(): void;
}

/** @param root absolute, without a `/` at its end; a folder of the disk from the beginning */
export function createDisk(root: string): Disk {
  let uses = 0;
  const used = () => {
    uses++;
    if (disk.dead !== undefined) throw disk.dead;
  };
  const watch: Watch = {
    used,
    changing(change, path, bytes = 0) {
      used();
      return disk.guard?.(change, path, bytes);
    },
    now: () => disk.now(),
  };
  const opened = new Map<number, OpenFile>();
  const tree = createTree(root, opened, watch.now);
  const disk: Disk = {
    root,
    guard: undefined,
    dead: undefined,
    isInUse: false,
    now: () => 0,
    uses: () => uses,
    losePower: tree.losePower,
    wipe() {
      opened.clear();
      tree.wipe();
    },
    ...fileOperations(tree, opened, watch),
    ...nameOperations(root, tree, opened, watch),
  };
  tree.wipe();
  return disk;
}
