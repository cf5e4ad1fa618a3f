/** A chat as Markdown, for a person to keep. */
import type { Message } from '../core/model.js';

export function chatMarkdown(id: string, messages: readonly Message[]): string {
  return [`# Chat ${id}`, ...messages.map((message) => messageMarkdown(message, 'Person')), ''].join('\n\n');
}

/** @param person who speaks as the user */
export function messageMarkdown(message: Message, person: string): string {
  switch (message.role) {
    case 'user':
      return `## ${person}\n\n${message.text}`;
    case 'assistant': {
      const calls = message.calls.map((call) => `- calls \`${call.name}\` with \`${call.arguments}\``);
      return [
        '## Model',
        ...(message.text === '' ? [] : [message.text]),
        ...(calls.length > 0 ? [calls.join('\n')] : []),
      ].join('\n\n');
    }
    case 'tool':
      return `### ${message.name}${message.error ? ' (failed)' : ''}\n\n${fenced(message.text)}`;
  }
}

/** Longer than any fence in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
