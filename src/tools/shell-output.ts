/** What a command printed, as a model gets it: both streams from their logs, the start and the end of what is long. */
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { errorCode } from '../files/layer.js';

/** Of both streams together. */
const MAX_BYTES = 64 * 1024;

/** @param path of the log files; what is not there was not printed */
export function printed(stdoutFile: string, stderrFile: string): string {
  const [out, err] = [open(stdoutFile), open(stderrFile)];
  try {
    const half = MAX_BYTES / 2;
    const outShare = Math.max(half, MAX_BYTES - err.bytes);
    const errShare = Math.max(half, MAX_BYTES - out.bytes);
    return [...section('stdout', out, outShare), ...section('stderr', err, errShare)].join('\n');
  } finally {
    out.close();
    err.close();
  }
}

/** So that what an earlier command printed is not taken for this one's. */
export function forget(...files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

interface Stream {
  readonly bytes: number;
  read(from: number, to: number): string;
  close(): void;
}

function open(path: string): Stream {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    return {
      bytes: fstatSync(fd).size,
      read(from, to) {
        const buffer = Buffer.alloc(to - from);
        return decode(buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from)));
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { bytes: 0, read: () => '', close: () => undefined };
    throw error;
  }
}

function section(name: string, stream: Stream, share: number): string[] {
  if (stream.bytes === 0) return [];
  if (stream.bytes <= share) return [`${name}:`, withoutLastBreak(stream.read(0, stream.bytes))];
  const tail = Math.floor(share / 3);
  const head = share - tail;
  const left = stream.bytes - share;
  return [
    `${name}:`,
    stream.read(0, head),
    `[… at least ${left} bytes are left out here; write long output to a file, and read that in parts …]`,
    withoutLastBreak(stream.read(stream.bytes - tail, stream.bytes)),
  ];
}

/** Without the halves of characters at its ends. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\uFFFD+|\uFFFD+$/g, '');
}

function withoutLastBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}
