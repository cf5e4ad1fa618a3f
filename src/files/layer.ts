/** The file operations of journal and artifacts, behind one interface so that faults can be injected into each. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

/** Each member throws what node:fs throws; all but `fsyncAsync` are synchronous. */
export interface FileLayer {
  /** @param flags of `constants` in node:fs, e.g. O_WRONLY | O_CREAT | O_EXCL */
  open(path: string, flags: number, mode?: number): number;
  /** Bytes written, which may be fewer than given: see `writeAll`. */
  write(fd: number, bytes: Uint8Array): number;
  fsync(fd: number): void;
  /** The same while this thread goes on; `fd` stays open until then. Rejects with what node:fs says. */
  fsyncAsync(fd: number): Promise<void>;
  truncate(fd: number, bytes: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  /** A hard link; fails with EEXIST if `to` is there. */
  link(from: string, to: string): void;
  unlink(path: string): void;
  /** One level; fails with EEXIST if it is there. */
  mkdir(path: string, mode: number): void;
  chmod(path: string, mode: number): void;
  /** Clones where the file system can; fails with EEXIST if `to` is there. */
  copy(from: string, to: string): void;
  read(path: string): Uint8Array;
}

export const realFiles: FileLayer = {
  open: (path, flags, mode = 0o600) => openSync(path, flags, mode),
  write: (fd, bytes) => writeSync(fd, bytes),
  fsync: (fd) => fsyncSync(fd),
  fsyncAsync: (fd) => promisify(fsync)(fd),
  truncate: (fd, bytes) => ftruncateSync(fd, bytes),
  close: (fd) => closeSync(fd),
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  unlink: (path) => unlinkSync(path),
  mkdir: (path, mode) => {
    mkdirSync(path, { mode });
  },
  chmod: (path, mode) => chmodSync(path, mode),
  copy: (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  read: (path) => readFileSync(path),
};

export function writeAll(files: FileLayer, fd: number, bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(files.write(fd, rest));
}

/** The code of a system error, e.g. `ENOENT`; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
