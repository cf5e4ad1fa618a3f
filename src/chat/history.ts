/** What was said in a chat, as its model gets it and as it is kept on disk; old turns give way before it is too long. */
import type { ContextWindow } from '../agent/context-window.js';
import { isNearEnd, saysTooLong } from '../agent/shorten.js';
import { toFault } from '../core/faults.js';
import type { Message } from '../core/model.js';
import { requestTokens } from '../core/token-estimate.js';
import type { Tool } from '../core/tool.js';
import { type Cut, cutOld, cutToFit, summaryMessage } from './compact.js';
import type { Session } from './session.js';

export interface History extends ContextWindow {
  /** Whether anything could give way. */
  compact(): Promise<boolean>;
}

export interface HistoryParts {
  readonly session: Session;
  readonly messages: readonly Message[];
  /** What stands before the messages in each request. */
  head(): { readonly system: string; readonly tools: readonly Tool[] };
  /** Asks the model for it. */
  summarise(cut: Cut): Promise<string>;
  /** Told to the person. */
  note(text: string): void;
}

/** No model that is listed takes less. */
const SMALLEST_CONTEXT_TOKENS = 3_000;
/** What stays may fill about half of the context. */
const KEPT_CHARACTERS_A_TOKEN = 2;

export function openHistory({ session, messages: before, head, summarise, note }: HistoryParts): History {
  let messages = [...before];
  /** What the last call told, and what was reckoned for the same messages. */
  let told: { readonly tokens: number; readonly reckoned: number } | undefined;
  const reckon = () => {
    const { system, tools } = head();
    return requestTokens({ system, messages, tools: tools.map(({ spec }) => spec) });
  };
  const tokens = () => Math.max(reckon(), told ? told.tokens + reckon() - told.reckoned : 0);
  const compact = async (cut: Cut | undefined) => {
    if (!cut) return false;
    const summary = summaryMessage(cut, await summarise(cut));
    session.write({ type: 'compacted', summary, kept: cut.kept.length });
    const was = messages.length;
    messages = [summary, ...cut.kept];
    told = undefined;
    note(`${was - cut.kept.length} earlier messages were summed up; the last ones stay as they are.`);
    return true;
  };
  return {
    messages: () => messages,
    add(added, usage) {
      session.write({ type: 'said', messages: added });
      messages = [...messages, ...added];
      if (usage) told = { tokens: usage.inputTokens + usage.outputTokens, reckoned: reckon() };
    },
    async makeRoom({ contextTokens, listedContext }) {
      if (contextTokens === undefined && tokens() < SMALLEST_CONTEXT_TOKENS) return;
      const room = contextTokens ?? (await listedContext?.());
      if (room !== undefined && isNearEnd(tokens(), room))
        await compact(cutToFit(messages, room * KEPT_CHARACTERS_A_TOKEN));
    },
    async makesRoomAfter(error) {
      const { code, message } = toFault(error);
      return code === 'provider.refused' && saysTooLong(message) && (await compact(cutToFit(messages)));
    },
    compact: () => compact(cutOld(messages)),
  };
}
