/** What a model was asked and what it said, read from the transcript that an agent has left. */
import fs from 'node:fs';
import { never } from '../core/json.js';
import type { Message, ModelReply, ModelRequest } from '../core/model.js';
import { shortened } from './shorten.js';
import { type Asks, type Head, parseLine, type RoundEnd } from './transcript.js';

export interface Conversation {
  /** Of `provider/model-id`. */
  readonly label: string;
  readonly asks: Asks;
  /** Where it was shortened: the context of its model, if that was known. */
  readonly contextTokens?: number;
  /** One a whole round, in order. */
  readonly exchanges: readonly { readonly request: ModelRequest; readonly reply: ModelReply }[];
}

/** Undefined for no transcript, or one of an earlier version, which does not say all that was asked. */
export function readConversation(file: string): Conversation | undefined {
  if (!fs.existsSync(file)) return undefined;
  let head: Head | undefined;
  const messages: Message[] = [];
  /** As they were sent. */
  let sent: Message[] = [];
  let before = 1;
  let contextTokens: number | undefined;
  const exchanges: Conversation['exchanges'][number][] = [];
  for (const text of fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const line = parseLine(text);
    if (!line) break;
    switch (line.type) {
      case 'head':
        head = line;
        break;
      case 'message':
        messages.push(line.message);
        sent.push(line.message);
        break;
      case 'note':
        before = messages.length;
        if (line.shortenedBefore !== undefined) sent = shortened(messages, line.shortenedBefore);
        contextTokens = line.contextTokens ?? contextTokens;
        break;
      case 'round': {
        const said = messages[before];
        if (!head?.asks || said?.role !== 'assistant' || line.finish === undefined) return undefined;
        exchanges.push({
          request: requestOf(head.system, head.asks, sent.slice(0, before), line.last === true),
          reply: replyOf(said, line.finish, line.usage),
        });
        before = messages.length;
        break;
      }
      // Of a round that is going on: when it ends, its messages follow.
      case 'reply':
      case 'begun':
      case 'outcome':
      case 'counted':
        break;
      default:
        never(line);
    }
  }
  if (!head?.asks) return undefined;
  return { label: head.model, asks: head.asks, exchanges, ...(contextTokens === undefined ? {} : { contextTokens }) };
}

function requestOf(system: string, asks: Asks, messages: readonly Message[], isLast: boolean): ModelRequest {
  const { model, parameters, tools, toolChoice, format } = asks;
  const offers = isLast ? { tools: tools.slice(-1), toolChoice: 'required' as const } : { tools, toolChoice };
  return { model, parameters, system, messages, ...offers, ...(format ? { format } : {}) };
}

function replyOf(
  { text, calls, reasoning }: Extract<Message, { role: 'assistant' }>,
  finish: ModelReply['finish'],
  usage: RoundEnd['usage'],
): ModelReply {
  return { text, calls, finish, ...(reasoning === undefined ? {} : { reasoning }), ...(usage ? { usage } : {}) };
}
