/** An agent's conversation within the context of its model: what is sent, and what gives way when it comes near the end. */
import type { StepContext } from '../core/context.js';
import { toFault } from '../core/faults.js';
import type { ChosenModel, Message, Usage } from '../core/model.js';
import { charactersOf, tokensIn } from '../core/token-estimate.js';
import { counted } from '../core/words.js';
import { isNearEnd, keepTexts, saysTooLong, shortenBefore, shortened } from './shorten.js';
import type { TranscriptWriter } from './transcript-writer.js';

export interface ContextWindow {
  /** As they are sent. */
  messages(): readonly Message[];
  /** @param usage of the call whose reply came first among them */
  add(messages: readonly Message[], usage: Usage | undefined): void;
  /** Before a call: what no longer fits gives way. */
  makeRoom(model: ChosenModel): Promise<void>;
  /** After a refusal: whether the request was too long, and is shorter now. */
  makesRoomAfter(error: unknown): Promise<boolean>;
}

/** No model that is listed takes less. */
const SMALLEST_CONTEXT_TOKENS = 3_000;
/** A server that tells fewer tokens than the text can have is not believed. */
const MOST_CHARACTERS_A_TOKEN = 10;

/** @param headTokens of what stands before the conversation */
export function contextWindow(
  before: { readonly messages: readonly Message[]; readonly shortenedBefore: number },
  headTokens: number,
  file: TranscriptWriter,
  context: StepContext,
): ContextWindow {
  const whole = [...before.messages];
  let sent = shortened(whole, before.shortenedBefore);
  let until = before.shortenedBefore;
  let characters = sum(sent);
  /** What the last call told, and the characters that there were then. */
  let told: { readonly tokens: number; readonly characters: number } | undefined;

  const shorten = async (contextTokens?: number): Promise<boolean> => {
    const next = shortenBefore(whole);
    const count = keepTexts(whole, until, next, context.folders.work);
    if (count === 0) return false;
    sent = shortened(whole, next);
    until = next;
    const left = sum(sent);
    const text = `the conversation came near the end of the model's context: ${counted(count, 'early tool result')} gave way to a line each, ${characters - left} characters less; the whole texts are kept`;
    characters = left;
    told = undefined;
    file.note({ shortenedBefore: next, ...(contextTokens === undefined ? {} : { contextTokens }) });
    await context.emit({ type: 'step_notice', path: context.path, text });
    return true;
  };
  const tokens = () => {
    if (!told) return headTokens + tokensIn(characters);
    return Math.max(told.tokens + tokensIn(characters - told.characters), characters / MOST_CHARACTERS_A_TOKEN);
  };

  return {
    messages: () => sent,
    add(messages, usage) {
      const reply = sum(messages.slice(0, 1));
      if (usage) told = { tokens: usage.inputTokens + usage.outputTokens, characters: characters + reply };
      whole.push(...messages);
      sent.push(...messages);
      characters += sum(messages);
    },
    async makeRoom({ contextTokens, listedContext }) {
      if (contextTokens === undefined && tokens() < SMALLEST_CONTEXT_TOKENS) return;
      const room = contextTokens ?? (await listedContext?.());
      if (isNearEnd(tokens(), room)) await shorten(room);
    },
    async makesRoomAfter(error) {
      if (context.signal.aborted) return false;
      const { code, message } = toFault(error);
      return code === 'provider.refused' && saysTooLong(message) && (await shorten());
    },
  };
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((all, message) => all + charactersOf(message), 0);
}
