/** The lines of a file that grows: those that were added since the last look. */
import fs from 'node:fs';

export interface GrowingFile {
  /** Whole lines, without their breaks; none while the file is not there. */
  lines(): Buffer[];
  /** What stands behind the last whole line: nothing will be added to it. */
  rest(): Buffer | undefined;
}

/**
 * Half a line is read again with its end: it may be cut off first, by who goes on writing behind a crash.
 * @param path absolute, as it is now: a file that moved is read on
 */
export function growingFile(path: () => string | undefined): GrowingFile {
  let offset = 0;
  return {
    lines() {
      const added = readFrom(path(), offset);
      const end = added.lastIndexOf(10) + 1;
      offset += end;
      return end === 0 ? [] : splitLines(added.subarray(0, end - 1));
    },
    rest() {
      const last = readFrom(path(), offset);
      offset += last.length;
      return last.length === 0 ? undefined : last;
    },
  };
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return [...lines, bytes.subarray(from)];
}

/** Nothing where there is no such file, or it is shorter. */
function readFrom(path: string | undefined, offset: number): Buffer {
  if (path === undefined) return Buffer.alloc(0);
  let fd: number;
  try {
    // A pipe in the place of a file would never open.
    if (!fs.statSync(path).isFile()) return Buffer.alloc(0);
    fd = fs.openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const added = Buffer.alloc(Math.max(0, fs.fstatSync(fd).size - offset));
    let count = 0;
    for (let more = -1; more !== 0 && count < added.length; count += more) {
      more = fs.readSync(fd, added, count, added.length - count, offset + count);
    }
    return added.subarray(0, count);
  } finally {
    fs.closeSync(fd);
  }
}
