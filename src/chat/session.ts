/** A chat on disk, one fact a line: what was said, what was summed up, what it used. A kill at any moment leaves it whole. */
import fs from 'node:fs';
import { join } from 'node:path';
import { withResults } from '../agent/converse.js';
import { NOT_BEGUN, UNKNOWN_OUTCOME } from '../agent/ledger.js';
import type { StepEvent, UsageTotal } from '../core/events.js';
import { isObject } from '../core/json.js';
import type { Message } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import type { Redactor } from '../core/secrets.js';
import { NO_USAGE, withEvent } from '../core/usage.js';
import { ensureDir } from '../files/atomic-write.js';

type Line =
  | { readonly type: 'head'; readonly format: 1; readonly started: string }
  /** Whole rounds, or what a person said. */
  | { readonly type: 'said'; readonly messages: readonly Message[] }
  /** A call with an effect begins: the reply that it stands in, and the results before it. */
  | {
      readonly type: 'begun';
      readonly said: Message;
      readonly call: number;
      readonly results: readonly (readonly [call: number, result: Message])[];
    }
  /** All before it gave way to one message; so many of the last ones stay. */
  | { readonly type: 'compacted'; readonly summary: Message; readonly kept: number }
  | { readonly type: 'event'; readonly event: StepEvent };

export interface SessionState {
  readonly messages: readonly Message[];
  readonly usage: UsageTotal;
  /** Model calls so far, whatever has given way since. */
  readonly rounds: number;
}

export interface Session extends SessionState {
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  /** Absolute: long results of tools, what commands print. Made when it is needed. */
  readonly folder: string;
  write(line: Line): void;
}

/** @param dir absolute: the project's folder of chats @param id of an earlier one, or a new one @param redactor of what is written */
export function openSession(dir: string, id: string, now: () => number, redactor?: Redactor): Session {
  const file = join(dir, `${id}.ndjson`);
  const state = readSession(file);
  let isOpen = fs.existsSync(file);
  return {
    ...state,
    id,
    file,
    folder: join(dir, id),
    write(line) {
      // A chat in which nothing was said leaves no file.
      if (!isOpen) {
        ensureDir(dir);
        append(file, { type: 'head', format: 1, started: new Date(now()).toISOString() });
        isOpen = true;
      }
      append(file, redactor?.value(line) ?? line);
    },
  };
}

/** Sorted by name, and by time. */
export function newSessionId(now: number, random: () => number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0')}`;
}

export interface Listed {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  /** How it began. */
  readonly first: string;
}

/** Those with the newest activity first. */
export function listSessions(dir: string): Listed[] {
  if (!fs.existsSync(dir)) return [];
  const names = fs.readdirSync(dir).filter((name) => name.endsWith('.ndjson'));
  return names
    .map((name): Listed => {
      const file = join(dir, name);
      const first = linesOf(file).find((line) => line.type === 'said' && line.messages[0]?.role === 'user');
      const text = first?.type === 'said' ? (first.messages[0]?.text ?? '') : '';
      return { id: name.slice(0, -'.ndjson'.length), changed: fs.statSync(file).mtimeMs, first: oneLine(text) };
    })
    .sort((a, b) => b.changed - a.changed || (a.id < b.id ? 1 : -1));
}

function append(file: string, line: Line): void {
  fs.appendFileSync(file, `${endsTorn(file) ? '\n' : ''}${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** A line that was cut off by a kill is none; what comes after it must not become part of it. */
function endsTorn(file: string): boolean {
  if (!fs.existsSync(file)) return false;
  const fd = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(fd);
    const last = Buffer.alloc(1);
    return size > 0 && fs.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } finally {
    fs.closeSync(fd);
  }
}

function readSession(file: string): SessionState {
  let messages: Message[] = [];
  let usage = NO_USAGE;
  let rounds = 0;
  let open: Extract<Line, { type: 'begun' }> | undefined;
  const mend = () => {
    if (open) messages.push(...interrupted(open));
    open = undefined;
  };
  for (const line of linesOf(file)) {
    switch (line.type) {
      case 'said':
        if (line.messages[0]?.role === 'assistant') open = undefined;
        mend();
        messages.push(...line.messages);
        break;
      case 'begun':
        open = line;
        break;
      case 'compacted':
        mend();
        messages = [line.summary, ...(line.kept > 0 ? messages.slice(-line.kept) : [])];
        break;
      case 'event':
        usage = withEvent(usage, line.event);
        if (line.event.type === 'round') rounds++;
        break;
    }
  }
  mend();
  return { messages, usage, rounds };
}

/** A round that was killed while a call was at work. */
function interrupted({ said, call, results }: Extract<Line, { type: 'begun' }>): Message[] {
  if (said.role !== 'assistant') return [];
  return [said, ...withResults(said.calls, new Map(results), (at) => (at === call ? UNKNOWN_OUTCOME : NOT_BEGUN))];
}

function linesOf(file: string): Line[] {
  if (!fs.existsSync(file)) return [];
  const texts = fs.readFileSync(file, 'utf8').split('\n');
  return texts.flatMap((text) => {
    try {
      const value: unknown = JSON.parse(text);
      return isObject(value) && typeof value.type === 'string' ? [value as unknown as Line] : [];
    } catch {
      return [];
    }
  });
}
