/** A conversation that comes near the end of its model's context: early tool results give way to one line each. */
import type { Message } from '../core/model.js';
import { keepText, resultPath } from './results.js';

/** Rounds whose results always stay. */
const KEPT_ROUNDS = 2;
/** A result that is not longer than this stays as it is. */
const SHORT_CHARACTERS = 400;
/** Of the context: above it the conversation is shortened. */
const FULL = 0.85;

/** Whether the next request, with its answer, may no longer fit. @param contextTokens undefined if nobody knows */
export function isNearEnd(tokens: number, contextTokens: number | undefined): boolean {
  return contextTokens !== undefined && tokens > contextTokens * FULL;
}

/** Before which message results can give way: those of the last rounds are still worked with. */
export function shortenBefore(messages: readonly Message[]): number {
  const turns = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  return turns.at(-KEPT_ROUNDS) ?? 0;
}

type ToolMessage = Extract<Message, { role: 'tool' }>;

/** The messages as the model gets them. @param before results of messages before this one give way */
export function shortened(messages: readonly Message[], before: number): Message[] {
  return messages.map((message, at) => {
    if (!givesWay(message, at, before)) return message;
    const { name, text } = message;
    const whole = `the whole text is the file ${pathOf(message, at)}`;
    return { ...message, text: `[left out to save room: ${name} gave ${text.length} characters here; ${whole}]` };
  });
}

/** Writes the texts that give way into the step's work folder, of the messages from one up to another. @returns how many there are */
export function keepTexts(messages: readonly Message[], from: number, before: number, work: string): number {
  let count = 0;
  for (let at = from; at < before; at++) {
    const message = messages[at];
    if (!message || !givesWay(message, at, before)) continue;
    keepText(work, pathOf(message, at), message.text);
    count++;
  }
  return count;
}

function givesWay(message: Message, at: number, before: number): message is ToolMessage {
  return at < before && message.role === 'tool' && message.text.length > SHORT_CHARACTERS;
}

function pathOf({ name }: ToolMessage, at: number): string {
  return resultPath(`m${String(at).padStart(4, '0')}`, name);
}

const CONTEXT_WORDS =
  /context[ _-]?(length|window|size)|maximum context|exceeds? .{0,40}context|prompt is too long|too many (input )?tokens|input is too long/i;

/** Whether a service refused a request because it was too long for the model. */
export function saysTooLong(message: string): boolean {
  return CONTEXT_WORDS.test(message);
}
