/** An agent's conversation within the context of its model: what is sent, how long it is, what gives way when it comes near the end. */
import type { StepContext } from '../core/context.js';
import { toFault } from '../core/faults.js';
import type { ChosenModel, Message, Usage } from '../core/model.js';
import { counted } from '../core/words.js';
import { isNearEnd, keepTexts, saysTooLong, shortenBefore, shortened } from './shorten.js';
import type { TranscriptWriter } from './transcript.js';

export interface ContextWindow {
  /** As they are sent. */
  messages(): readonly Message[];
  /** Of what is sent, without the system text. */
  characters(): number;
  /** @param usage of the call whose reply came first among them */
  add(messages: readonly Message[], usage: Usage | undefined): void;
  /** Before a call: what no longer fits gives way. */
  makeRoom(model: ChosenModel): Promise<void>;
  /** After a refusal: whether the request was too long, and is shorter now. */
  makesRoomAfter(error: unknown): Promise<boolean>;
}

const CHARACTERS_A_TOKEN = 4;
/** No model that is listed takes less. */
const SMALLEST_CONTEXT_TOKENS = 3_000;

export function contextWindow(
  before: { readonly messages: readonly Message[]; readonly shortenedBefore: number },
  file: TranscriptWriter,
  context: StepContext,
): ContextWindow {
  const whole = [...before.messages];
  let sent = shortened(whole, before.shortenedBefore);
  let until = before.shortenedBefore;
  let characters = sum(sent);
  /** What the last call told, and the characters that have come since. */
  let told: { readonly tokens: number; readonly charactersThen: number } | undefined;

  const shorten = async (contextTokens?: number): Promise<boolean> => {
    const next = shortenBefore(whole);
    if (next <= until) return false;
    const count = keepTexts(whole, next, context.folders.work) - keepTexts(whole, until, context.folders.work);
    if (count === 0) return false;
    sent = shortened(whole, next);
    until = next;
    const left = sum(sent);
    const text = `the conversation came near the end of the model's context: ${counted(count, 'early tool result')} gave way to a line each (${characters - left} characters; the whole texts are in ${RESULTS_OF_STEP})`;
    characters = left;
    told = undefined;
    file.turn({ shortenedBefore: next, ...(contextTokens === undefined ? {} : { contextTokens }) });
    await context.emit({ type: 'step_notice', path: context.path, text });
    return true;
  };

  return {
    messages: () => sent,
    characters: () => characters,
    add(messages, usage) {
      if (usage)
        told = {
          tokens: usage.inputTokens + usage.outputTokens,
          charactersThen: characters + sum(messages.slice(0, 1)),
        };
      whole.push(...messages);
      sent.push(...messages);
      characters += sum(messages);
    },
    async makeRoom({ contextTokens, listedContext }) {
      const added = told ? characters - told.charactersThen : characters;
      const tokens = (told?.tokens ?? 0) + added / CHARACTERS_A_TOKEN;
      if (tokens < SMALLEST_CONTEXT_TOKENS && contextTokens === undefined) return;
      const room = contextTokens ?? (await listedContext?.());
      if (isNearEnd(tokens, room)) await shorten(room);
    },
    async makesRoomAfter(error) {
      if (context.signal.aborted) return false;
      const { code, message } = toFault(error);
      return code === 'provider.refused' && saysTooLong(message) && (await shorten());
    },
  };
}

const RESULTS_OF_STEP = "the step's folder, .results/";

function sum(messages: readonly Message[]): number {
  return messages.reduce((all, message) => all + lengthOf(message), 0);
}

function lengthOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  return message.text.length + message.calls.reduce((all, call) => all + call.name.length + call.arguments.length, 0);
}
