/** An agent's conversation on disk, one message a line: whole after every round, read back up to the last whole one. */
import fs from 'node:fs';
import { promisify } from 'node:util';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { Message, ModelReply, ModelRequest } from '../core/model.js';
import type { GuardState } from './guards.js';

export interface Read {
  readonly file: string;
  readonly sha256: string;
}

export interface Head {
  readonly key: string;
  /** `provider/model-id`. */
  readonly model: string;
  readonly system: string;
  /** What else every request of it says; transcripts of earlier versions do not. */
  readonly asks?: Asks;
}

/** With the system text and the messages: all of a request, and where it came from. */
export interface Asks extends Omit<ModelRequest, 'system' | 'messages'> {
  /** The role or `provider/model-id` by which the model was picked, and what was picked. */
  readonly role: string;
  readonly host: string;
  readonly roleParameters: JsonObject;
  /** No language model: its texts are placeholders. */
  readonly placeholder: boolean;
  /** Absolute paths as they were: of the step in its run, of the skill, of the project. */
  readonly folders: { readonly step: string; readonly skill: string; readonly project: string };
}

export interface RoundEnd {
  /** From 1. */
  readonly round: number;
  readonly guards: GuardState;
  /** Files that its tools read. */
  readonly reads: readonly Read[];
  /** The answer that it ended with. */
  readonly resolved?: { readonly value: Json };
  /** What the reply said beside its message; transcripts of earlier versions do not. */
  readonly finish?: ModelReply['finish'];
  readonly usage?: ModelReply['usage'];
  /** The last round, which offered nothing but `resolve`. */
  readonly last?: true;
}

/** What a person granted, or the runner did, between two rounds. */
export interface Note {
  /** Rounds that it may use in all, where a person granted more than the file. */
  readonly maxRounds?: number;
  /** Results of messages before this one have given way to one line each. */
  readonly shortenedBefore?: number;
  /** The context of the model that this was done for, if it was known. */
  readonly contextTokens?: number;
}
export type Line =
  | ({ readonly type: 'head' } & Head)
  | ({ readonly type: 'round' } & RoundEnd)
  | ({ readonly type: 'note' } & Note)
  | { readonly type: 'message'; readonly message: Message };

export interface Transcript {
  readonly messages: readonly Message[];
  /** Whole rounds so far. */
  readonly rounds: number;
  readonly guards: GuardState | undefined;
  readonly reads: readonly Read[];
  readonly resolved: { readonly value: Json } | undefined;
  /** The last of each that was noted. */
  readonly noted: Note;
}

/** The conversation of an interrupted attempt with this key, or undefined; what came after its last whole round is cut off. */
export function readTranscript(file: string, key: string): Transcript | undefined {
  const bytes = readIfThere(file);
  if (!bytes) return undefined;
  const messages: Message[] = [];
  let whole = { bytes: 0, messages: 0, rounds: 0, guards: undefined as GuardState | undefined };
  const reads: Read[] = [];
  let resolved: RoundEnd['resolved'];
  let head: Head | undefined;
  let noted: Note = {};
  let from = 0;
  for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
    const line = parseLine(bytes.subarray(from, end).toString('utf8'));
    from = end + 1;
    if (!line) break;
    if (line.type === 'head') head = line;
    else if (line.type === 'message') messages.push(line.message);
    if (line.type === 'note') {
      const { type: _, ...said } = line;
      noted = { ...noted, ...said };
      whole = { ...whole, bytes: from, messages: messages.length };
    } else if (line.type === 'round') {
      reads.push(...line.reads);
      resolved = line.resolved;
      whole = { bytes: from, messages: messages.length, rounds: line.round, guards: line.guards };
    } else if (messages.length === 1 && whole.rounds === 0) whole = { ...whole, bytes: from, messages: 1 };
  }
  if (head?.key !== key || whole.messages === 0) return undefined;
  if (whole.bytes < bytes.length) fs.truncateSync(file, whole.bytes);
  const { rounds, guards } = whole;
  return { messages: messages.slice(0, whole.messages), rounds, guards, reads, resolved, noted };
}

function readIfThere(file: string): Buffer | undefined {
  // A new conversation has none: asking costs less than an error.
  return fs.statSync(file, { throwIfNoEntry: false }) ? fs.readFileSync(file) : undefined;
}

/** Undefined for a line that is not whole. */
export function parseLine(text: string): Line | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? (value as unknown as Line) : undefined;
  } catch {
    return undefined;
  }
}

export interface TranscriptWriter {
  begin(head: Head, first: Message): void;
  /** All of a round at once: when it returns, a kill loses nothing of it; for a power cut it is on its way to the disk. */
  round(messages: readonly Message[], end: RoundEnd): void;
  /** Between two rounds; @param said to the model with it */
  note(noted: Note, said?: Message): void;
  /** All that was written is on disk, for a power cut too. Rejects if it could not be brought there. */
  synced(): Promise<void>;
  /** Synced, too. */
  close(): Promise<void>;
}

export function writeTranscript(file: string): TranscriptWriter {
  const fd = fs.openSync(file, 'a', 0o600);
  const disk = diskOf(fd);
  const append = (lines: readonly Line[]) => {
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
    disk.written();
  };
  return {
    begin(head, first) {
      append([
        { type: 'head', ...head },
        { type: 'message', message: first },
      ]);
    },
    round(messages, end) {
      disk.refuseBroken();
      append([...messages.map((message) => ({ type: 'message' as const, message })), { type: 'round', ...end }]);
      disk.soon();
    },
    note(noted, said) {
      const spoken = said ? [{ type: 'message' as const, message: said }] : [];
      append([...spoken, { type: 'note', ...noted }]);
    },
    synced: disk.synced,
    async close() {
      try {
        await disk.synced();
      } finally {
        fs.closeSync(fd);
      }
    },
  };
}

/** Brings a file to disk beside the work: one sync at a time, which all that was written meanwhile shares. */
function diskOf(fd: number) {
  let isAhead = false;
  let isDue = false;
  let broken: unknown;
  let running: Promise<void> | undefined;
  const sync = async () => {
    isAhead = false;
    try {
      await datasync(fd);
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
    written() {
      isAhead = true;
    },
    soon() {
      if (isDue) return;
      isDue = true;
      inTurn(async () => {
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

/**
 * Syncs that nobody waits for yet take turns over all transcripts: they keep no thread from work that somebody waits for. The request of
 * the next round goes out first.
 */
function inTurn(sync: () => Promise<void>): void {
  turn = turn.then(() => nextOfLoop()).then(sync);
}

const nextOfLoop = promisify(setImmediate);
const datasync = promisify(fs.fdatasync);
