/** An agent's conversation on disk, one message a line: its lines, and how they are read back up to the last whole round. */
import fs from 'node:fs';
import type { FaultData } from '../core/faults.js';
import { isObject, type Json, type JsonObject, never } from '../core/json.js';
import type { Message, ModelReply, ModelRequest } from '../core/model.js';
import type { Spent } from './call.js';
import type { GuardState } from './guards.js';
import type { OpenRound } from './ledger.js';

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
  /** `provider/model-id` that answered, and what the call used; without `spent` the journal had counted it already. */
  readonly model?: string;
  readonly spent?: Spent;
  /** The last round, which offered nothing but `resolve`. */
  readonly last?: true;
  /** A guard has stopped the agent, or its model has refused: it goes on only if a person says so. */
  readonly stopped?: FaultData;
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

/** As soon as the model has answered: what was paid for is kept. */
export type ReplyLine = Omit<OpenRound, 'results' | 'reads' | 'begun'>;

export type Line =
  | ({ readonly type: 'head' } & Head)
  | ({ readonly type: 'round' } & RoundEnd)
  | ({ readonly type: 'note' } & Note)
  | { readonly type: 'message'; readonly message: Message }
  | ({ readonly type: 'reply' } & ReplyLine)
  /** A call of that reply, by its index. */
  | { readonly type: 'begun'; readonly call: number }
  | { readonly type: 'outcome'; readonly call: number; readonly result: Message; readonly read?: Read }
  /** The journal has counted the call of that reply. */
  | { readonly type: 'counted' };

export interface Transcript {
  readonly messages: readonly Message[];
  /** Whole rounds so far. */
  readonly rounds: number;
  readonly guards: GuardState | undefined;
  readonly reads: readonly Read[];
  readonly resolved: { readonly value: Json } | undefined;
  /** The last of each that was noted. */
  readonly noted: Note;
  /** The round that was going on when it ended, if its model had answered. */
  readonly open?: OpenRound;
  /** The end of the last whole round. */
  readonly last?: RoundEnd;
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
  let open: OpenRound | undefined;
  let last: RoundEnd | undefined;
  let from = 0;
  const keep = () => {
    whole = { ...whole, bytes: from, messages: messages.length };
  };
  for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
    const line = parseLine(bytes.subarray(from, end).toString('utf8'));
    from = end + 1;
    if (!line) break;
    switch (line.type) {
      case 'head':
        head = line;
        break;
      case 'message':
        messages.push(line.message);
        if (messages.length === 1) keep();
        break;
      case 'note': {
        const { type: _, ...said } = line;
        noted = { ...noted, ...said };
        keep();
        break;
      }
      case 'round':
        reads.push(...line.reads);
        resolved = line.resolved;
        open = undefined;
        last = line;
        whole = { bytes: from, messages: messages.length, rounds: line.round, guards: line.guards };
        break;
      case 'reply':
      case 'begun':
      case 'outcome':
      case 'counted':
        open = withLine(open, line);
        keep();
        break;
      default:
        never(line);
    }
  }
  if (head?.key !== key || whole.messages === 0) return undefined;
  if (whole.bytes < bytes.length) fs.truncateSync(file, whole.bytes);
  const { rounds, guards } = whole;
  const said = messages.slice(0, whole.messages);
  const more = { ...(open ? { open } : {}), ...(last ? { last } : {}) };
  return { messages: said, rounds, guards, reads, resolved, noted, ...more };
}

function withLine(
  open: OpenRound | undefined,
  line: Extract<Line, { type: 'reply' | 'begun' | 'outcome' | 'counted' }>,
): OpenRound | undefined {
  if (line.type === 'reply') {
    const { type: _, ...reply } = line;
    return { ...reply, results: new Map(), reads: [], begun: new Set() };
  }
  if (!open) return undefined;
  if (line.type === 'begun') return { ...open, begun: new Set([...open.begun, line.call]) };
  if (line.type === 'outcome') {
    const results = new Map([...open.results, [line.call, line.result]]);
    return { ...open, results, reads: [...open.reads, ...(line.read ? [line.read] : [])] };
  }
  const { spent: _, ...counted } = open;
  return counted;
}

function readIfThere(file: string): Buffer | undefined {
  // A new conversation has none: asking costs less than an error.
  return fs.statSync(file, { throwIfNoEntry: false }) ? fs.readFileSync(file) : undefined;
}

const TYPES = new Set<string>([
  'head',
  'round',
  'note',
  'message',
  'reply',
  'begun',
  'outcome',
  'counted',
] satisfies Line['type'][]);

/** Undefined for a line that is not whole, or none of ours: a later version's journal is refused before. */
export function parseLine(text: string): Line | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && TYPES.has(String(value.type)) ? (value as unknown as Line) : undefined;
  } catch {
    return undefined;
  }
}
