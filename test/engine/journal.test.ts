import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { cutTail, firstRecord, openJournal, readJournal } from '../../src/engine/journal.js';
import { encode } from '../../src/engine/journal-line.js';
import { type FileLayer, realFiles } from '../../src/files/layer.js';
import { faultyFiles } from '../support/faulty-files.js';

const notice = (seq: number, text: string): Recorded => ({ type: 'notice', text, seq, at: '2026-01-01T00:00:00.000Z' });

function journalFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'events.ndjson');
}

const NO_BLOBS = {
  read: (): Buffer => {
    throw new Error('there are no side files');
  },
};

function read(file: string) {
  const records: Recorded[] = [];
  const end = readJournal(file, NO_BLOBS, (record) => records.push(record));
  return { records, end };
}

const TEXTS = ['plain', 'line\nbreak\u2028 and "quotes"', '量子😀', ',"crc":"00000000"}'];

it('reads back what was written, whatever the text holds, one line a record', async () => {
  const file = journalFile();
  const journal = openJournal(file, realFiles);
  for (const [index, text] of TEXTS.entries()) journal.write(encode(notice(index + 1, text)));
  await journal.sync();
  journal.close();
  expect(read(file).records).toEqual(TEXTS.map((text, index) => notice(index + 1, text)));
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(TEXTS.length + 1);
});

it('finds the whole lines of a journal cut at any byte, and can be written on after the tail is cut off', () => {
  const file = journalFile();
  const whole = Buffer.from(TEXTS.map((text, index) => encode(notice(index + 1, text))).join(''));
  for (let bytes = 0; bytes <= whole.length; bytes++) {
    writeFileSync(file, whole.subarray(0, bytes));
    const { records, end } = read(file);
    expect(end.wholeBytes + end.tornBytes).toBe(bytes);
    cutTail(file, end.wholeBytes);
    appendFileSync(file, encode(notice(records.length + 1, 'after')));
    expect(read(file).records.at(-1)).toEqual(notice(records.length + 1, 'after'));
  }
});

it('refuses a journal with a changed byte or a missing line anywhere before its end', () => {
  const file = journalFile();
  const lines = TEXTS.map((text, index) => encode(notice(index + 1, text)));
  writeFileSync(file, lines.toSpliced(1, 1).join(''));
  expect(() => read(file)).toThrow(/damaged at line 2/);
  writeFileSync(file, lines.join('').replace('plain', 'plaim'));
  expect(() => read(file)).toThrow(/damaged at line 1/);
});

it('reads lines that are longer than its chunks', () => {
  const file = journalFile();
  const long = 'x'.repeat(3_000_000);
  writeFileSync(file, encode(notice(1, long)) + encode(notice(2, 'short')));
  expect(read(file).records.map((record) => (record.type === 'notice' ? record.text.length : 0))).toEqual([
    3_000_000, 5,
  ]);
});

it('writes nothing more after a write that failed, and leaves only whole lines', async () => {
  const file = journalFile();
  let space = 100;
  const files = {
    ...realFiles,
    write(fd: number, bytes: Uint8Array) {
      if (space === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      const part = bytes.subarray(0, space);
      space -= part.length;
      return realFiles.write(fd, part);
    },
  };
  const journal = openJournal(file, files);
  journal.write(encode(notice(1, 'fits')));
  expect(() => journal.write(encode(notice(2, 'does not fit')))).toThrow(/cannot be written: no space left/);
  space = 10_000;
  expect(() => journal.write(encode(notice(3, 'after')))).toThrow(/cannot be written/);
  await expect(journal.sync()).rejects.toThrow(/cannot be written/);
  expect(read(file)).toMatchObject({ records: [notice(1, 'fits')], end: { tornBytes: 0 } });
});

it('refuses a journal of a newer format by name', () => {
  const file = journalFile();
  writeFileSync(file, encode({ seq: 1, at: '', type: 'run_started', format: 99 } as unknown as Recorded));
  expect(() => read(file)).toThrow(/format 99; this version reads format 1/);
});

it('is refused where it is no regular file, and never waited for', () => {
  const file = journalFile();
  execFileSync('mkfifo', [file]);
  expect(() => read(file)).toThrow('is not a regular file');
  expect(() => openJournal(file, realFiles)).toThrow('is not a regular file');
  expect(firstRecord(file)).toBeUndefined();
});

it('has its name synced with it in the folders above, once a session: one that is there may be of a process that was killed before', async () => {
  const file = journalFile();
  const files = faultyFiles();
  const synced = () => files.operations.filter((name) => name.startsWith('fsync')).length;
  const journal = openJournal(file, files);
  journal.write(encode(notice(1, 'a')));
  await journal.sync();
  expect(synced()).toBe(5);
  await journal.sync();
  expect(synced()).toBe(6);
  journal.close();
  const later = openJournal(file, files);
  await later.sync();
  expect(synced()).toBe(11);
  later.close();
});

/** Of which the syncs end when the test says so; `covered` holds the text that was on disk when each began. */
function heldSyncs(file: string) {
  const covered: string[] = [];
  const held: { resolve(): void; reject(error: Error): void }[] = [];
  const files: FileLayer = {
    ...realFiles,
    fsyncAsync() {
      covered.push(readFileSync(file, 'utf8'));
      return new Promise<void>((resolve, reject) => held.push({ resolve, reject }));
    },
  };
  /** Waits for the next sync to begin. */
  const begun = async () => {
    for (let at = held.length; held.length === at; ) await setImmediate();
    return held.at(-1) as (typeof held)[number];
  };
  return { files, covered, begun };
}

it('is synced by one at a time; calls that come meanwhile share the next, which covers what each had written', async () => {
  const file = journalFile();
  const { files, covered, begun } = heldSyncs(file);
  const journal = openJournal(file, files);
  const done: string[] = [];
  const save = (name: string, seq: number) => {
    journal.write(encode(notice(seq, name)));
    return journal.sync().then(() => done.push(name));
  };
  const all = [save('a', 1), save('b', 2)];
  const first = await begun();
  all.push(save('c', 3));
  await setImmediate();
  all.push(save('d', 4));
  await setImmediate();
  expect(covered).toHaveLength(1);
  expect(covered[0]).toMatch(/"a".*\n.*"b".*\n$/);
  expect(done).toEqual([]);
  first.resolve();
  const second = await begun();
  expect(done).toEqual(['a', 'b']);
  expect(covered[1]).toMatch(/"c".*\n.*"d".*\n$/);
  second.resolve();
  await Promise.all(all);
  expect(done).toEqual(['a', 'b', 'c', 'd']);
  expect(covered).toHaveLength(2);
  await journal.close();
});

it('fails for all who wait when a sync failed, without another try, and for whoever writes afterwards', async () => {
  const file = journalFile();
  const { files, covered, begun } = heldSyncs(file);
  const journal = openJournal(file, files);
  journal.write(encode(notice(1, 'a')));
  const first = journal.sync();
  const sync = await begun();
  journal.write(encode(notice(2, 'b')));
  const second = journal.sync();
  sync.reject(new Error('the disk is gone'));
  const ends = await Promise.allSettled([first, second]);
  expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual([
    expect.stringContaining('the disk is gone'),
    expect.stringContaining('the disk is gone'),
  ]);
  expect(covered).toHaveLength(1);
  expect(() => journal.write(encode(notice(3, 'c')))).toThrow('the disk is gone');
  await expect(journal.sync()).rejects.toThrow('the disk is gone');
  await journal.close();
});

it('stays open until the syncs that were asked for have ended', async () => {
  const file = journalFile();
  const { files, begun } = heldSyncs(file);
  const order: string[] = [];
  const close = (fd: number) => {
    order.push('closed');
    realFiles.close(fd);
  };
  const journal = openJournal(file, { ...files, close });
  await Promise.all([journal.sync(), begun().then((sync) => sync.resolve())]);
  const late = journal.sync().then(() => order.push('synced'));
  order.length = 0;
  const closed = journal.close();
  (await begun()).resolve();
  await Promise.all([late, closed]);
  expect(order).toEqual(['synced', 'closed']);
});

it('names the line of any byte that was changed before its last line', () => {
  const file = journalFile();
  const lines = TEXTS.map((text, index) => Buffer.from(encode(notice(index + 1, text))));
  const whole = Buffer.concat(lines);
  const endOfLine = (line: number) => lines.slice(0, line).reduce((sum, bytes) => sum + bytes.length, 0);
  fc.assert(
    fc.property(fc.nat(endOfLine(lines.length - 1) - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      writeFileSync(file, damaged);
      const line = lines.findIndex((_, index) => at < endOfLine(index + 1)) + 1;
      expect(() => read(file)).toThrow(`damaged at line ${line}`);
    }),
    { numRuns: 300 },
  );
});

it('ends in zeros after a power cut on some file systems: they are a torn tail', () => {
  const file = journalFile();
  writeFileSync(file, Buffer.concat([Buffer.from(encode(notice(1, 'a'))), Buffer.alloc(5_000)]));
  expect(read(file)).toMatchObject({ records: [notice(1, 'a')], end: { tornBytes: 5_000 } });
});
