/** Writes an agent's conversation line by line: whole after every round, on disk before an effect. */
import fs from 'node:fs';
import { promisify } from 'node:util';
import { systemClock } from '../core/clock.js';
import type { Clock } from '../core/context.js';
import type { Json } from '../core/json.js';
import type { Message } from '../core/model.js';
import { mapTexts } from '../core/secrets.js';
import type { Head, Line, Note, Read, ReplyLine, RoundEnd } from './transcript.js';

export interface TranscriptWriter {
  /** On disk as soon as the file is there, and before anything else that is written. */
  begin(head: Head, first: Message): void;
  /** All of a round at once: when it returns, a kill loses nothing of it; for a power cut it is on its way to the disk. */
  round(messages: readonly Message[], end: RoundEnd): void;
  /** Between two rounds; @param said to the model with it */
  note(noted: Note, said?: Message): void;
  /** Of the round that is going on, within `REPLY_WITHIN_MS`, before anything else is written; a round that ends sooner holds it. See ledger.ts. */
  reply(line: ReplyLine): void;
  begun(call: number): void;
  /** @param read the file that the call read */
  outcome(call: number, result: Message, read?: Read): void;
  counted(): void;
  /** All that was written is on disk, for a power cut too. Rejects if it could not be brought there. */
  synced(): Promise<void>;
  /** Synced, too. */
  close(): Promise<void>;
}

/** @param redact what a model says of its own may hold secrets, too: whoever takes the conversation up is told their names */
export function writeTranscript(
  file: string,
  redact: (text: string) => string,
  clock: Clock = systemClock,
): TranscriptWriter {
  const opened = openBeside(file);
  /** What is to be written first: the head until the file is there, a reply until its round has ended or lasts. */
  let begun: readonly Line[] = [];
  let reply: ReplyLine | undefined;
  const disk = diskOf(opened.now, clock);
  /** Behind half a line nothing is written: it would be lost with it. */
  const append = (lines: readonly Line[]) => {
    disk.refuseBroken();
    const owed: readonly Line[] = reply ? [...begun, { type: 'reply', ...reply }] : begun;
    const bytes = Buffer.from([...owed, ...lines].map((line) => `${written(line, redact)}\n`).join(''));
    try {
      const fd = opened.now();
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      throw disk.broke(error);
    }
    begun = [];
    reply = undefined;
    disk.written();
  };
  const writeOwed = () => {
    if (begun.length > 0 || reply) append([]);
  };
  return {
    begin(head, first) {
      begun = [
        { type: 'head', ...head },
        { type: 'message', message: first },
      ];
      // What is wrong with the file is said by whoever writes next.
      opened.soon.then(writeOwed).catch(() => undefined);
    },
    round(messages, end) {
      reply = undefined;
      append([...messages.map((message) => ({ type: 'message' as const, message })), { type: 'round', ...end }]);
      disk.soon();
    },
    note(noted, said) {
      const spoken = said ? [{ type: 'message' as const, message: said }] : [];
      append([...spoken, { type: 'note', ...noted }]);
    },
    reply(line) {
      disk.refuseBroken();
      reply = line;
      // What is wrong with the file is said by whoever writes next.
      later(REPLY_WITHIN_MS, clock, () => reply === line && attempt(writeOwed));
    },
    begun: (call) => append([{ type: 'begun', call }]),
    outcome: (call, result, read) => append([{ type: 'outcome', call, result, ...(read ? { read } : {}) }]),
    counted: () => append([{ type: 'counted' }]),
    async synced() {
      writeOwed();
      await disk.synced();
    },
    async close() {
      try {
        writeOwed();
        await disk.synced();
      } finally {
        await opened.close();
      }
    },
  };
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {}
}

/** A write waits for a sync of the file that is going on: one for each reply would cost more than most rounds take. */
const REPLY_WITHIN_MS = 5;

function written(line: Line, redact: (text: string) => string): string {
  const text = JSON.stringify(line);
  return redact(text) === text ? text : JSON.stringify(mapTexts(JSON.parse(text) as Json, redact));
}

/** A new file takes a while to make: it is made beside the work, or at once for who cannot wait. */
function openBeside(file: string) {
  let fd: number | undefined;
  const isOver = (one: number) => {
    if (fd !== undefined) fs.closeSync(one);
    fd ??= one;
  };
  const soon = fs.existsSync(file) ? Promise.resolve() : open(file, 'a', 0o600).then(isOver);
  soon.catch(() => undefined);
  return {
    soon,
    now() {
      fd ??= fs.openSync(file, 'a', 0o600);
      return fd;
    },
    async close() {
      await soon.catch(() => undefined);
      if (fd !== undefined) fs.closeSync(fd);
    },
  };
}

/** Brings a file to disk beside the work: one sync at a time, which all that was written meanwhile shares. */
function diskOf(fd: () => number, clock: Clock) {
  let syncedAt = 0;
  let isAhead = false;
  let isDue = false;
  let broken: unknown;
  let running: Promise<void> | undefined;
  const sync = async () => {
    isAhead = false;
    syncedAt = clock.now();
    try {
      await datasync(fd());
    } catch (error) {
      broken ??= error;
    }
    running = undefined;
  };
  const refuseBroken = () => {
    if (broken !== undefined) throw broken;
  };
  return {
    refuseBroken,
    broke(error: unknown) {
      broken ??= error;
      return broken;
    },
    written() {
      isAhead = true;
    },
    soon() {
      if (isDue) return;
      isDue = true;
      const restMs = syncedAt + BETWEEN_SYNCS_MS - clock.now();
      inTurn(syncedAt === 0 ? 0 : restMs, clock, async () => {
        isDue = false;
        if (!isAhead || broken !== undefined) return;
        running ??= sync();
        await running;
      });
    },
    async synced() {
      refuseBroken();
      while (running || isAhead) {
        running ??= sync();
        await running;
        refuseBroken();
      }
    },
  };
}

let turn = Promise.resolve();

/** Of one transcript, which nobody waits for: rounds that come faster share one. */
const BETWEEN_SYNCS_MS = 10;

/**
 * Syncs that nobody waits for yet take turns over all transcripts: they keep no thread from work that somebody waits for. The request of
 * the next round goes out first.
 */
function inTurn(afterMs: number, clock: Clock, sync: () => Promise<void>): void {
  const take = () => {
    turn = turn.then(() => nextOfLoop()).then(sync);
  };
  if (afterMs <= 0) take();
  // Closing syncs what is left: nothing is kept waiting for it.
  else later(afterMs, clock, take);
}

/** What nobody waits for keeps no process from ending. */
function later(ms: number, clock: Clock, work: () => void): void {
  if (clock === systemClock) setTimeout(work, ms).unref();
  else void clock.sleep(ms).then(work);
}

const nextOfLoop = promisify(setImmediate);
const datasync = (fd: number) =>
  new Promise<void>((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  });
const open = (file: string, flags: string, mode: number) =>
  new Promise<number>((resolve, reject) => {
    fs.open(file, flags, mode, (error, fd) => (error ? reject(error) : resolve(fd)));
  });
