/** The journal file: one event a line; a torn tail is cut off, damage in the middle is refused. */
import fs, { constants } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Recorded } from '../core/events.js';
import { Fault } from '../core/faults.js';
import { syncFolder } from '../files/atomic-write.js';
import { errorCode, type FileLayer, realFiles, writeAll } from '../files/layer.js';
import type { Blobs } from './blobs.js';
import { damaged, decode, refuseNewer, wholeOf } from './journal-line.js';

/** Lines longer than this were not written by us: what is large becomes a side file. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export interface JournalFile {
  /** On disk for a killed process; not yet for a power cut. Throws `run.journal`; then nothing more is written. */
  write(line: string): void;
  /** All that was written before the call is on disk for a power cut. One sync runs at a time; calls meanwhile share the next. */
  sync(): Promise<void>;
  /** After the syncs that were asked for. */
  close(): void | Promise<void>;
}

export function openJournal(file: string, files: FileLayer): JournalFile {
  refuseSpecial(file);
  // A journal whose name is lost in a power cut would be no journal. One that is there may be of a process that was killed before this.
  let unnamed = true;
  const fd = files.open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
  let wholeBytes = fs.statSync(file).size;
  let broken: Fault | undefined;
  /** The sync that runs or has yet to begin; the next one waits for it. */
  let last: Promise<void> | undefined;
  /** A sync that has yet to begin: it covers what is written now. */
  let next: Promise<void> | undefined;
  const fail = (error: unknown) => {
    broken ??= journalFault(file, error);
    return broken;
  };
  const syncAfter = async (before: Promise<void> | undefined) => {
    // Also what this turn of the event loop has yet to write.
    await before?.catch(() => undefined);
    await setImmediate();
    next = undefined;
    if (broken) throw broken;
    try {
      await files.fsyncAsync(fd);
      if (unnamed) syncNames(file, files);
      unnamed = false;
      refuseMoved(file, fd);
    } catch (error) {
      throw fail(error);
    }
  };
  return {
    write(line) {
      if (broken) throw broken;
      const bytes = Buffer.from(line);
      try {
        writeAll(files, fd, bytes);
        wholeBytes += bytes.length;
      } catch (error) {
        cutHalfLine(files, fd, wholeBytes);
        throw fail(error);
      }
    },
    sync() {
      if (broken) return Promise.reject(broken);
      if (next) return next;
      const mine = syncAfter(last);
      next = mine;
      last = mine;
      const settled = () => {
        if (last === mine) last = undefined;
      };
      mine.then(settled, settled);
      return mine;
    },
    close() {
      const close = () => files.close(fd);
      return last ? last.then(close, close) : close();
    },
  };
}

/** Of the journal in the run's folder, of this folder among the runs of its skill, of theirs in `skill_run/`, of this in the project. */
function syncNames(file: string, files: FileLayer): void {
  const dir = dirname(file);
  const runs = dirname(dirname(dir));
  for (const folder of [dir, dirname(dir), runs]) syncFolder(folder, files);
  try {
    syncFolder(dirname(runs), files);
  } catch (error) {
    // A project that may be passed through and not read.
    if (errorCode(error) !== 'EACCES') throw error;
  }
}

/** A pipe would never open. */
function refuseSpecial(file: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new Fault('run.journal', `the journal ${file} is not a regular file`);
}

/** A run whose folder was removed or moved must not end as if all were there. */
function refuseMoved(file: string, fd: number): void {
  const there = fs.statSync(file, { throwIfNoEntry: false });
  const open = fs.fstatSync(fd);
  if (there?.ino === open.ino && there.dev === open.dev) return;
  throw new Error('it was removed, moved or replaced while the run was going on');
}

/** So that a full disk leaves whole lines, and the run can be resumed. */
function cutHalfLine(files: FileLayer, fd: number, wholeBytes: number): void {
  try {
    files.truncate(fd, wholeBytes);
  } catch {
    // The tail stays torn: the resume cuts it off.
  }
}

function journalFault(file: string, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('run.journal', `the journal ${file} cannot be written: ${reason}`, {
    hint: 'Free some space or mend the folder, then resume the run.',
  });
}

/** The record that a journal begins with, or undefined. */
export function firstRecord(file: string): Recorded | undefined {
  let fd: number | undefined;
  try {
    refuseSpecial(file);
    fd = fs.openSync(file, 'r');
    const start = roomFor(fs.fstatSync(fd).size);
    const end = start.subarray(0, fs.readSync(fd, start)).indexOf(10);
    const record = end < 0 ? undefined : decode(start.subarray(0, end).toString('utf8'));
    return record && !('whole' in record) ? record : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** For the next piece of a file of so many bytes, one more than it has now. */
function roomFor(size: number): Buffer {
  return Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES) + 1);
}

export interface JournalEnd {
  readonly lastSeq: number;
  /** Bytes of a line that a crash cut in two; they have no meaning and are to be cut off. */
  readonly tornBytes: number;
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number;
}

/** Reads by chunks, so that a journal larger than memory can be read. Throws `run.journal` for damage before the last line. */
export function readJournal(
  file: string,
  blobs: Pick<Blobs, 'read'>,
  onRecord: (record: Recorded) => void,
): JournalEnd {
  refuseSpecial(file);
  const fd = fs.openSync(file, 'r');
  let rest = Buffer.alloc(0);
  let wholeBytes = 0;
  let lastSeq = 0;
  let lineNumber = 0;
  const take = (line: Buffer, isLast: boolean): boolean => {
    lineNumber++;
    const record = decode(line.toString('utf8'));
    const event = record?.seq === lastSeq + 1 ? wholeOf(record, blobs) : undefined;
    if (event) {
      lastSeq = event.seq;
      wholeBytes += line.length + 1;
      refuseNewer(event, file);
      onRecord(event);
      return true;
    }
    if (isLast && !beginsWithRecord(line)) return false;
    throw damaged(file, lineNumber);
  };
  try {
    const size = fs.fstatSync(fd).size;
    const chunk = roomFor(size);
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

/** A crash leaves the beginning of a line, or zeros in it; a whole record with more behind it has lost its line break to something else. */
function beginsWithRecord(line: Buffer): boolean {
  const text = line.toString('utf8');
  const ends = [...text.matchAll(/,"crc":"[0-9a-f]{8}"\}/g)].map(({ index, 0: crc }) => index + crc.length);
  return ends.some((end) => end < text.length && decode(text.slice(0, end)));
}

function tooLong(file: string, line: number): Fault {
  return new Fault(
    'run.journal',
    `line ${line} of ${file} is longer than ${MAX_LINE_BYTES} bytes: not a journal of ours`,
  );
}

/** Cuts a torn tail off, before the first append. */
export function cutTail(file: string, wholeBytes: number, files: FileLayer = realFiles): void {
  const fd = files.open(file, constants.O_WRONLY);
  try {
    files.truncate(fd, wholeBytes);
    files.fsync(fd);
  } finally {
    files.close(fd);
  }
}
