/** What a step was told and said, in order: its conversation from the transcript, its output from the logs of its process. */
import { type Line, parseLine } from '../agent/transcript.js';
import type { Message, ToolCall } from '../core/model.js';
import { type GrowingFile, growingFile } from '../engine/growing-file.js';
import { stepDirAt } from '../engine/run-dir.js';

/** A piece of an attempt at a step. */
export type Content =
  | {
      readonly type: 'text';
      readonly from: 'system' | 'user' | 'model' | 'reasoning';
      readonly round: number;
      readonly text: string;
    }
  | { readonly type: 'call'; readonly round: number; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'result';
      readonly round: number;
      readonly name: string;
      readonly error: boolean;
      readonly text: string;
    }
  | { readonly type: 'output'; readonly from: 'stdout' | 'stderr'; readonly text: string };

export interface AttemptContent {
  /** What has come since the last look; of the conversation no more than up to the end of this round. */
  upTo(round: number): Content[];
  /** All that has come since the last look. */
  soFar(): Content[];
  /** With half a line at the end, to which nothing will be added. */
  last(): Content[];
  /** It has a conversation. */
  hasRounds(): boolean;
}

/**
 * @param folder of the attempt, absolute, as it is now; undefined if nothing is left of it
 * @param after its conversation begins with so many rounds of the attempt before it, which were shown there
 */
export function attemptContent(folder: () => string | undefined, after: number): AttemptContent {
  const fileOf = (name: 'transcript' | 'stdout' | 'stderr') =>
    growingFile(() => {
      const dir = folder();
      return dir === undefined ? undefined : stepDirAt(dir)[name];
    });
  const conversation = conversationIn(fileOf('transcript'), after);
  const outputs = (['stdout', 'stderr'] as const).map((from) => ({ from, file: fileOf(from) }));
  const printed = (isOver: boolean) =>
    outputs.flatMap(({ from, file }): Content[] => {
      const text = textIn(file, isOver);
      return text === '' ? [] : [{ type: 'output', from, text }];
    });
  return {
    upTo: (round) => conversation.take(round),
    soFar: () => [...conversation.take(Number.POSITIVE_INFINITY), ...printed(false)],
    last: () => [...conversation.take(Number.POSITIVE_INFINITY), ...printed(true)],
    hasRounds: conversation.isThere,
  };
}

function textIn(file: GrowingFile, isOver: boolean): string {
  const lines = file.lines().map((line) => `${line.toString('utf8')}\n`);
  const rest = isOver ? file.rest()?.toString('utf8') : undefined;
  return lines.join('') + (rest ?? '');
}

/** A round is written while it goes on, reply and results, and as a whole when it has ended: each is told once. */
function conversationIn(file: GrowingFile, after: number) {
  const waiting: Line[] = [];
  let isThere = false;
  /** The round that is going on. */
  let round = 1;
  let hasReplied = false;
  let told = new Set<string>();
  let calls: readonly ToolCall[] = [];

  function said(line: Line): Content[] {
    switch (line.type) {
      case 'head':
        return after > 0 ? [] : [{ type: 'text', from: 'system', round: 0, text: line.system }];
      case 'reply':
        hasReplied = true;
        ({ calls } = line.reply);
        return replyOf(line.reply, round);
      case 'outcome':
        return resultOf(line.result);
      case 'message':
        return messageOf(line.message);
      case 'round':
        round = line.round + 1;
        hasReplied = false;
        told = new Set();
        return [];
      default:
        return [];
    }
  }

  function messageOf(message: Message): Content[] {
    if (message.role === 'user') return [{ type: 'text', from: 'user', round, text: message.text }];
    if (message.role === 'tool') return resultOf(message);
    if (hasReplied) return [];
    hasReplied = true;
    ({ calls } = message);
    return replyOf(message, round);
  }

  function resultOf(message: Message): Content[] {
    if (message.role !== 'tool' || told.has(message.callId)) return [];
    told.add(message.callId);
    const name = calls.find(({ id }) => id === message.callId)?.name ?? message.name;
    return [{ type: 'result', round, name, error: message.error, text: message.text }];
  }

  return {
    isThere: () => isThere,
    take(last: number): Content[] {
      for (const bytes of file.lines()) {
        const line = parseLine(bytes.toString('utf8'));
        if (line) waiting.push(line);
        isThere = true;
      }
      const taken: Content[] = [];
      while (round <= last) {
        const line = waiting.shift();
        if (!line) break;
        const isOld = round <= after;
        const content = said(line);
        if (!isOld) taken.push(...content);
      }
      return taken;
    },
  };
}

function replyOf(
  {
    text,
    calls,
    reasoning = '',
  }: { readonly text: string; readonly calls: readonly ToolCall[]; readonly reasoning?: string },
  round: number,
): Content[] {
  return [
    ...(reasoning === '' ? [] : [{ type: 'text', from: 'reasoning', round, text: reasoning } as const]),
    ...(text === '' ? [] : [{ type: 'text', from: 'model', round, text } as const]),
    ...calls.map((call) => ({ type: 'call', round, name: call.name, arguments: call.arguments }) as const),
  ];
}
