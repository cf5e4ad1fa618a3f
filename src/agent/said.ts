/** What was said in an agent's conversation, for a person: all of it, or as much as a quota of characters holds. */
import fs from 'node:fs';
import { beginningOf } from '../core/excerpt.js';
import type { Message } from '../core/model.js';
import { type Head, parseLine } from './transcript.js';

export interface Saying {
  /** `provider/model-id`. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
}

/** Undefined where no conversation was begun. A round that is going on is told as far as it is known. */
export function readSaid(transcript: string): Saying | undefined {
  if (!fs.statSync(transcript, { throwIfNoEntry: false })) return undefined;
  let head: Head | undefined;
  const messages: Message[] = [];
  let open: Message[] = [];
  for (const text of fs.readFileSync(transcript, 'utf8').split('\n')) {
    const line = parseLine(text);
    if (line?.type === 'head') head = line;
    if (line?.type === 'message') messages.push(line.message);
    if (line?.type === 'reply') open = [{ role: 'assistant', text: line.reply.text, calls: line.reply.calls }];
    if (line?.type === 'outcome') open.push(line.result);
    if (line?.type === 'round') open = [];
  }
  return head && { model: head.model, system: head.system, messages: [...messages, ...open] };
}

export interface Quoted extends Saying {
  /** The messages behind the first one, and all the characters that are not shown. */
  readonly leftOut: { readonly messages: number; readonly characters: number };
}

/** Of a quota: what the system text and the first message may take at most. */
const HEAD_SHARE = 0.25;

/**
 * The beginnings of the system text and of the first message, which say what was asked, and as many of the last messages as fit; a last one
 * that does not fit is cut.
 * @param characters 0 for all
 */
export function quoted(said: Saying, characters: number): Quoted {
  const [first, ...rest] = said.messages;
  const whole = said.system.length + sizeOf(said.messages);
  if (!first || characters === 0 || whole <= characters) return { ...said, leftOut: { messages: 0, characters: 0 } };
  const head = Math.floor(characters * HEAD_SHARE);
  const system = short(said.system, head);
  const begun = cut(first, head);
  let left = characters - system.length - sizeOf([begun]);
  let from = rest.length;
  for (; from > 0; from--) {
    const size = sizeOf(rest.slice(from - 1, from));
    if (size > left) break;
    left -= size;
  }
  // The last word is shown whatever its size.
  const last = from === rest.length ? rest.slice(-1).map((message) => cut(message, left)) : rest.slice(from);
  const messages = [begun, ...last];
  const leftOut = {
    messages: said.messages.length - messages.length,
    characters: whole - system.length - sizeOf(messages),
  };
  return { ...said, system, messages, leftOut };
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.calls : [];
    return sum + message.text.length + calls.reduce((all, call) => all + call.name.length + call.arguments.length, 0);
  }, 0);
}

function cut(message: Message, characters: number): Message {
  if (sizeOf([message]) <= characters) return message;
  const text = short(message.text, characters);
  if (message.role !== 'assistant' || message.calls.length === 0) return { ...message, text };
  const each = Math.floor((characters - text.length) / message.calls.length);
  return {
    ...message,
    text,
    calls: message.calls.map((call) => ({ ...call, arguments: short(call.arguments, each) })),
  };
}

function short(text: string, characters: number): string {
  return text.length <= characters ? text : beginningOf(text, Math.max(0, characters - 1));
}
