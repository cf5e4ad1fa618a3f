/** What gives way when a chat comes near its model's context: old turns become a summary; skills, the request and the last rounds stay. */
import type { Asked } from '../agent/call.js';
import { cutTo } from '../core/columns.js';
import type { Message } from '../core/model.js';
import { charactersOf } from '../core/token-estimate.js';
import { skillIn } from './skill-text.js';

const KEPT_ROUNDS = 2;
/** Of one tool result, as the model that sums up gets it. */
const RESULT_CHARACTERS = 2_000;
/** Of all that is summed up; of more the start and the end. */
const MOST_CHARACTERS = 200_000;
/** So that half of the model's context is left for the summary, whatever the language. */
const CHARACTERS_A_CONTEXT_TOKEN = 1;

const SYSTEM =
  'You sum up the earlier part of a conversation, so that it can go on without it. Keep: what the person wants, decisions, facts, names, paths, numbers, what was done, what failed, what is still to be done. Leave out greetings and what is no longer needed. Answer with the summary alone.';

export interface Cut {
  readonly old: readonly Message[];
  readonly kept: readonly Message[];
}

/** Undefined if there is nothing yet that could give way. @param keptRounds of which nothing does */
export function cutOld(messages: readonly Message[], keptRounds = KEPT_ROUNDS): Cut | undefined {
  const turns = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  const end = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  const from = keptRounds === 0 ? end : (turns.at(-keptRounds) ?? 0);
  const start = messages[from - 1]?.role === 'user' ? from - 1 : from;
  if (turns.length <= keptRounds || start < 2) return undefined;
  return { old: messages.slice(0, start), kept: messages.slice(start) };
}

/** Where the last rounds alone are too much, they give way as well. @param most characters that may stay; half of them unless given */
export function cutToFit(messages: readonly Message[], most = charactersIn(messages) / 2): Cut | undefined {
  const cuts = [KEPT_ROUNDS, 1, 0].flatMap((kept) => cutOld(messages, kept) ?? []);
  return cuts.find(({ kept }) => charactersIn(kept) <= most) ?? cuts.at(-1);
}

function charactersIn(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + charactersOf(message), 0);
}

/** @param contextTokens of the model that sums up; undefined if nobody knows */
export function summaryRequest({ old }: Cut, contextTokens?: number): Asked {
  const text = old.map(shown).join('\n\n');
  const most = Math.min(MOST_CHARACTERS, (contextTokens ?? MOST_CHARACTERS) * CHARACTERS_A_CONTEXT_TOKEN);
  const half = most / 2;
  const bounded = text.length <= most ? text : `${text.slice(0, half)}\n[…]\n${text.slice(-half)}`;
  return {
    system: SYSTEM,
    messages: [{ role: 'user', text: `The conversation:\n\n${bounded}\n\nSum it up.` }],
    tools: [],
    toolChoice: 'auto',
  };
}

/** What stands in the place of the old turns. */
export function summaryMessage({ old, kept }: Cut, summary: string): Message {
  const skills = new Map(old.flatMap((message) => skillIn(message) ?? []).map(({ name, block }) => [name, block]));
  const last = kept.some(({ role }) => role === 'user') ? undefined : old.findLast(isRequest);
  const parts = [
    `The conversation so far, summed up to save room:\n${summary.trim()}`,
    ...(last ? [`What the person asked for last, word for word:\n${last.text}`] : []),
    ...skills.values(),
  ];
  return { role: 'user', text: parts.join('\n\n') };
}

function isRequest(message: Message): boolean {
  return message.role === 'user' && !message.aside;
}

function shown(message: Message): string {
  const skill = skillIn(message);
  const text = skill ? message.text.replace(skill.block, `[the text of the skill ${skill.name}]`) : message.text;
  switch (message.role) {
    case 'user':
      return `Person: ${text}`;
    case 'assistant': {
      const calls = message.calls.map((call) => `You called ${call.name} ${cutTo(call.arguments, 500)}`);
      return [...(text === '' ? [] : [`You: ${text}`]), ...calls].join('\n');
    }
    case 'tool': {
      const left = text.length - RESULT_CHARACTERS;
      return `${message.name} gave: ${left > 0 ? `${text.slice(0, RESULT_CHARACTERS)} [${left} more characters]` : text}`;
    }
  }
}
