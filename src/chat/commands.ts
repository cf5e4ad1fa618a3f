/** What a person types: words for the model, or a command that begins with a slash. */
import { nearest } from '../core/problems.js';

export const COMMANDS = {
  help: '',
  skills: '',
  tools: '',
  model: '[name]',
  cost: '',
  compact: '',
  plan: '<task>',
  save: '[file]',
  resume: '[id]',
  exit: '',
} as const satisfies Record<string, string>;

export type CommandName = keyof typeof COMMANDS;

const SAYS: Readonly<Record<CommandName, string>> = {
  help: 'this list',
  skills: 'the skills there are; /<skill> [words] uses one',
  tools: 'what the model may call',
  model: 'the model in use, or another one',
  cost: 'tokens and cost of this chat so far',
  compact: 'sum up the early part of the chat; skills and the last rounds stay',
  plan: 'a plan first, with no tools; a yes starts the work',
  save: 'where this chat is kept; with a file: writes it there as Markdown',
  resume: 'earlier chats, or go on with one',
  exit: 'leave (Ctrl-D does, too)',
};

export type Typed =
  | { readonly type: 'nothing' }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'command'; readonly name: CommandName; readonly args: string }
  | { readonly type: 'skill'; readonly name: string; readonly args: string }
  | { readonly type: 'unknown'; readonly name: string; readonly near: string | undefined };

/** @param skills names; a command wins over a skill of its name */
export function readTyped(line: string, skills: readonly string[]): Typed {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  const [, word, args = ''] = /^\/([\p{L}\p{N}_-]+)(?:\s+([\s\S]*))?$/u.exec(text) ?? [];
  if (word === undefined) return { type: 'message', text };
  const key = lookupKey(word);
  const command = isCommand(key) ? key : key === 'quit' ? 'exit' : undefined;
  if (command) return { type: 'command', name: command, args };
  const skill = skills.find((one) => lookupKey(one) === key);
  if (skill !== undefined) return { type: 'skill', name: skill, args };
  return { type: 'unknown', name: word, near: nearest(word, [...Object.keys(COMMANDS), ...skills]) };
}

/** The form in which names are compared: hyphen and underscore are the same. */
export function lookupKey(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('-', '_');
}

function isCommand(key: string): key is CommandName {
  return Object.hasOwn(COMMANDS, key);
}

export function helpText(): string {
  const names = Object.keys(COMMANDS) as CommandName[];
  const lines = names.map((name) => `  ${`/${name} ${COMMANDS[name]}`.padEnd(18)} ${SAYS[name]}`);
  return [
    ...lines,
    '',
    '  A line that ends with \\ goes on in the next one; a pasted text is one message.',
    '  Ctrl-C stops the answer, not the chat. The arrow keys bring back what was typed.',
  ].join('\n');
}
