/** What a model was asked and what it said, read from the transcript that an agent has left. */
import fs from 'node:fs';
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
  let before = 1;
  let giveWay = 0;
  let contextTokens: number | undefined;
  const exchanges: Conversation['exchanges'][number][] = [];
  for (const text of fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const line = parseLine(text);
    if (!line) break;
    if (line.type === 'head') head = line;
    else if (line.type === 'message') messages.push(line.message);
    else if (line.type === 'turning') {
      before = messages.length;
      giveWay = line.shortenedBefore ?? giveWay;
      contextTokens = line.contextTokens ?? contextTokens;
    } else {
      const said = messages[before];
      if (!head?.asks || said?.role !== 'assistant' || line.finish === undefined) return undefined;
      exchanges.push({
        request: requestOf(head.system, head.asks, shortened(messages.slice(0, before), giveWay), line.last === true),
        reply: replyOf(said, line.finish, line.usage),
      });
      before = messages.length;
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
