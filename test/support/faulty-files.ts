/** A file layer over the real one of which the n-th operation goes wrong. */
import { type FileLayer, realFiles } from '../../src/files/layer.js';

/** `stop`: as if the process died there: half of a write is done, and no operation after it. */
export type Trouble = 'ENOSPC' | 'EIO' | 'stop';

export interface FaultyFiles extends FileLayer {
  /** What was asked of it so far, in order. */
  readonly operations: readonly Operation[];
}
export type Operation = keyof FileLayer;

/** Nothing goes wrong without `trouble`: then it only counts. @param at from 1 */
export function faultyFiles(trouble?: { readonly what: Trouble; readonly at: number }): FaultyFiles {
  const operations: Operation[] = [];
  let dead = false;
  const through = <Args extends unknown[], R>(name: Operation, real: (...args: Args) => R) => {
    return (...args: Args): R => {
      // What is open is given back, as the system does for a process that died.
      if (dead && name === 'close') return real(...args);
      if (dead) throw failure('EIO', name);
      operations.push(name);
      if (operations.length !== trouble?.at) return real(...args);
      dead = trouble.what === 'stop';
      if (name === 'write') halfOf(args as unknown as [number, Uint8Array]);
      if (name === 'close') real(...args);
      throw failure(trouble.what === 'stop' ? 'EIO' : trouble.what, name);
    };
  };
  const fsyncAsync = through('fsyncAsync', realFiles.fsyncAsync);
  return {
    operations,
    open: through('open', realFiles.open),
    write: through('write', realFiles.write),
    fsync: through('fsync', realFiles.fsync),
    fsyncAsync: async (fd) => fsyncAsync(fd),
    truncate: through('truncate', realFiles.truncate),
    close: through('close', realFiles.close),
    rename: through('rename', realFiles.rename),
    link: through('link', realFiles.link),
    unlink: through('unlink', realFiles.unlink),
    mkdir: through('mkdir', realFiles.mkdir),
    chmod: through('chmod', realFiles.chmod),
    copy: through('copy', realFiles.copy),
    read: through('read', realFiles.read),
  };
}

function halfOf([fd, bytes]: readonly [number, Uint8Array]): void {
  realFiles.write(fd, bytes.subarray(0, bytes.length >> 1));
}

/** As node:fs throws it. */
function failure(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}
