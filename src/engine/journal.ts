/** The journal file: one event a line with a checksum; a torn tail is cut off, damage in the middle is refused. */
import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Recorded } from '../core/events.js';
import { Fault } from '../core/faults.js';

/** Lines longer than this were not written by us: large outputs are side files. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export interface JournalFile {
  /** On disk for a killed process; not yet for a power cut. */
  write(record: Recorded): void;
  /** On disk for a power cut. Calls that wait together share one sync. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export function openJournal(file: string): JournalFile {
  const fd = fs.openSync(file, 'a', 0o600);
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  const start = () => {
    running = new Promise<void>((resolve, reject) => {
      fs.fdatasync(fd, (error) => (error ? reject(journalFault(file, error)) : resolve()));
    }).finally(() => {
      running = undefined;
    });
    return running;
  };
  const sync = (): Promise<void> => {
    if (!running) return start();
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = undefined;
        return start();
      });
    return queued;
  };
  return {
    write(record) {
      const line = Buffer.from(encode(record));
      try {
        for (let at = 0; at < line.length; ) at += fs.writeSync(fd, line, at);
      } catch (error) {
        throw journalFault(file, error);
      }
    },
    sync,
    async close() {
      await (queued ?? running)?.catch(() => undefined);
      fs.closeSync(fd);
    },
  };
}

function journalFault(file: string, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('run.journal', `the journal ${file} cannot be written: ${reason}`, {
    hint: 'Free some space or mend the folder, then go on with: pipeline run … --resume',
  });
}

/** The line's checksum covers every byte before `,"crc"`. */
export function encode(record: Recorded): string {
  const body = JSON.stringify(record).slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

function decode(line: string): Recorded | undefined {
  const cut = line.lastIndexOf(',"crc":"');
  if (cut < 0 || line.slice(cut + 8, -2) !== checksum(line.slice(0, cut)) || !line.endsWith('"}')) return undefined;
  try {
    return JSON.parse(`${line.slice(0, cut)}}`) as Recorded;
  } catch {
    return undefined;
  }
}

export interface JournalEnd {
  readonly lastSeq: number;
  /** Bytes of a line that a crash cut in two; they have no meaning and are to be cut off. */
  readonly tornBytes: number;
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number;
}

/** Reads by chunks, so that a journal larger than memory can be read. Throws `run.journal` for damage before the last line. */
export function readJournal(file: string, onRecord: (record: Recorded) => void): JournalEnd {
  const fd = fs.openSync(file, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  let wholeBytes = 0;
  let lastSeq = 0;
  let lineNumber = 0;
  const take = (line: Buffer, isLast: boolean): boolean => {
    lineNumber++;
    const record = decode(line.toString('utf8'));
    if (record && record.seq === lastSeq + 1) {
      lastSeq = record.seq;
      wholeBytes += line.length + 1;
      refuseNewer(record, file);
      onRecord(record);
      return true;
    }
    if (isLast) return false;
    throw new Fault('run.journal', `the journal ${file} is damaged at line ${lineNumber}`, {
      hint: 'A run whose journal is damaged in the middle cannot be resumed. Start a new run.',
    });
  };
  try {
    const size = fs.fstatSync(fd).size;
    let readBytes = 0;
    for (;;) {
      const count = fs.readSync(fd, chunk, 0, chunk.length, null);
      if (count === 0) break;
      readBytes += count;
      rest =
        rest.length === 0 ? Buffer.from(chunk.subarray(0, count)) : Buffer.concat([rest, chunk.subarray(0, count)]);
      if (rest.length > MAX_LINE_BYTES && rest.indexOf(10) < 0) throw tooLong(file, lineNumber + 1);
      let from = 0;
      for (let end = rest.indexOf(10, from); end >= 0; end = rest.indexOf(10, from)) {
        const isLast = readBytes >= size && end + 1 === rest.length;
        if (!take(rest.subarray(from, end), isLast)) return { lastSeq, wholeBytes, tornBytes: size - wholeBytes };
        from = end + 1;
      }
      rest = rest.subarray(from);
    }
    return { lastSeq, wholeBytes, tornBytes: size - wholeBytes };
  } finally {
    fs.closeSync(fd);
  }
}

function refuseNewer(record: Recorded, file: string): void {
  if (record.type === 'run_started' && record.format > 1) {
    throw new Fault('run.journal', `the journal ${file} has format ${record.format}; this version reads format 1`, {
      hint: 'Use the version of pipeline that wrote it, or a newer one.',
    });
  }
}

function tooLong(file: string, line: number): Fault {
  return new Fault(
    'run.journal',
    `line ${line} of ${file} is longer than ${MAX_LINE_BYTES} bytes: not a journal of ours`,
  );
}

/** Cuts a torn tail off, before the first append. */
export function cutTail(file: string, wholeBytes: number): void {
  fs.truncateSync(file, wholeBytes);
}
