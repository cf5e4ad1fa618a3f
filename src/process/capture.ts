/** What a process prints: kept in memory up to a bound, written to a log file of which the middle is left out if it is loud. */
import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
export const LOG_HEAD_BYTES = 8 * 1024 * 1024;
export const LOG_TAIL_BYTES = 64 * 1024;
const STDERR_TAIL_BYTES = 4 * 1024;

/** Replaces secrets in a stream of bytes, also when they are cut by its fragments; one per stream. */
export interface ByteFilter {
  push(bytes: Uint8Array): Uint8Array;
  /** What it held back. */
  end(): Uint8Array;
}
export const plain = (): ByteFilter => ({ push: (bytes) => bytes, end: () => new Uint8Array() });

/** The first `maxBytes` of a stream; grows by doubling. */
export function firstBytes(maxBytes: number): {
  push(bytes: Uint8Array): void;
  bytes(): Uint8Array;
  truncated(): boolean;
} {
  let buffer = new Uint8Array();
  let length = 0;
  let total = 0;
  return {
    push(bytes) {
      total += bytes.length;
      const kept = bytes.subarray(0, maxBytes - length);
      if (length + kept.length > buffer.length) {
        const grown = new Uint8Array(Math.min(maxBytes, Math.max(length + kept.length, buffer.length * 2)));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(kept, length);
      length += kept.length;
    },
    bytes: () => buffer.subarray(0, length),
    truncated: () => total > length,
  };
}

/** The last `maxBytes` of a stream. */
export function lastBytes(maxBytes: number): { push(bytes: Uint8Array): void; bytes(): Uint8Array } {
  let buffer: Uint8Array = new Uint8Array();
  return {
    push(bytes) {
      // Cut only when it is twice too long, so that small fragments stay cheap.
      buffer =
        buffer.length === 0 ? bytes.slice(-maxBytes * 2) : Buffer.concat([buffer, bytes.subarray(-maxBytes * 2)]);
      if (buffer.length > maxBytes * 2) buffer = buffer.slice(-maxBytes);
    },
    bytes: () => buffer.subarray(Math.max(0, buffer.length - maxBytes)),
  };
}

export interface Log {
  push(bytes: Uint8Array): void;
  close(): void;
}

/** A log file: made at the first byte; its first 8 MB, how much was left out, its last 64 KB. Throws what node:fs throws. */
export function openLog(path: string, filter: ByteFilter): Log & { tail(): string } {
  const stderrTail = lastBytes(STDERR_TAIL_BYTES);
  const tail = lastBytes(LOG_TAIL_BYTES);
  let fd: number | undefined;
  let written = 0;
  let after = 0;
  const keep = (bytes: Uint8Array) => {
    if (bytes.length === 0) return;
    stderrTail.push(bytes);
    const head = bytes.subarray(0, LOG_HEAD_BYTES - written);
    if (head.length > 0) {
      fd ??= openNew(path);
      writeWhole(fd, head);
      written += head.length;
    }
    const rest = bytes.subarray(head.length);
    if (rest.length === 0) return;
    tail.push(rest);
    after += rest.length;
  };
  let closed = false;
  return {
    push: (bytes) => {
      if (!closed) keep(filter.push(bytes));
    },
    close() {
      if (closed) return;
      closed = true;
      try {
        keep(filter.end());
        if (fd === undefined || after === 0) return;
        const last = tail.bytes();
        const leftOut = after - last.length;
        if (leftOut > 0) writeWhole(fd, Buffer.from(`\n[… ${leftOut} bytes left out …]\n`));
        writeWhole(fd, last);
      } finally {
        if (fd !== undefined) closeSync(fd);
        fd = undefined;
      }
    },
    tail: () => new TextDecoder().decode(withoutCutCharacter(stderrTail.bytes())),
  };
}

function openNew(path: string): number {
  // A pipe in its place is not waited for.
  const flags =
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, flags, 0o600);
  }
}

function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
}

/** UTF-8 continuation bytes at the start belong to a character that was cut off. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
