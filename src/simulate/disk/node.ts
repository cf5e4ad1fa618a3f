/** What the disk in memory is made of: files, folders, links, each with what `stat` says of it. */

export interface Meta {
  mode: number;
  readonly ino: number;
  mtimeMs: number;
}
export interface FileNode extends Meta {
  readonly type: 'file';
  /** Only the first `size` bytes count. */
  bytes: Buffer;
  size: number;
  /** How many of the first bytes a power cut leaves as they are: all that were there at the last sync and not written since. */
  safe: number;
}
export interface FolderNode extends Meta {
  readonly type: 'folder';
  readonly entries: Map<string, Node>;
  parent: FolderNode | undefined;
  name: string;
}
interface LinkNode extends Meta {
  readonly type: 'link';
  readonly target: string;
}
export type Node = FileNode | FolderNode | LinkNode;

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
