/** How many tokens a request is reckoned to have before a service has counted them. */
import type { Message, ModelReply, ModelRequest, ToolSpec } from './model.js';

/** Of English prose; other text has fewer. */
const CHARACTERS_A_TOKEN = 4;
/** About what the large providers count for a picture of a million pixels. */
const IMAGE_TOKENS = 1_600;
/** What an answer is reckoned to need where nobody has said how long it may be. */
const ANSWER_TOKENS = 1_000;

export function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

/** Of the text and the arguments of its calls. */
export function charactersOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  return message.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, message.text.length);
}

const toolCharacters = new WeakMap<readonly ToolSpec[], number>();

/** What stands before the conversation in each of its requests. */
export function headTokens({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): number {
  const known = toolCharacters.get(tools) ?? tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  toolCharacters.set(tools, known);
  return tokensIn(system.length + known);
}

interface Counted {
  readonly messages: Message[];
  characters: number;
  images: number;
}

/** Of each conversation, by its first message, what was counted last: a request is mostly the one before it, and something more. */
const conversations = new WeakMap<Message, Counted>();

export function requestTokens(request: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  const { characters, images } = countedOf(request.messages);
  return headTokens(request) + tokensIn(characters) + images * IMAGE_TOKENS;
}

function countedOf(messages: readonly Message[]): Omit<Counted, 'messages'> {
  const [first] = messages;
  if (!first) return { characters: 0, images: 0 };
  const known = conversations.get(first);
  const counted = known?.messages.every((one, at) => one === messages[at])
    ? known
    : { messages: [], characters: 0, images: 0 };
  if (counted !== known) conversations.set(first, counted);
  for (let at = counted.messages.length; at < messages.length; at++) {
    const message = messages[at] as Message;
    counted.messages.push(message);
    counted.characters += charactersOf(message);
    if (message.role === 'user') counted.images += message.images?.length ?? 0;
  }
  return counted;
}

/** @param before tokens of the longest answer that the model has given so far */
export function answerTokens({ parameters }: Pick<ModelRequest, 'parameters'>, before = 0): number {
  const most = parameters.max_tokens;
  return typeof most === 'number' ? most : Math.max(ANSWER_TOKENS, before);
}

export function replyTokens({ text, reasoning = '', calls }: ModelReply): number {
  return tokensIn(
    calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, text.length + reasoning.length),
  );
}
