/** The last words of an agent's model, read from the transcript that it has left. */
import fs from 'node:fs';
import type { ModelReply } from '../core/model.js';
import { type Line, parseLine } from './transcript.js';

const MOST_CHARACTERS = 200;

/** Its last text, else its last call, cut; undefined if there is neither. */
export function lastWordsIn(transcript: string): string | undefined {
  if (!fs.statSync(transcript, { throwIfNoEntry: false })) return undefined;
  const lines = fs.readFileSync(transcript, 'utf8').split('\n');
  for (const text of lines.reverse()) {
    const line = parseLine(text);
    const reply = line && replyIn(line);
    if (!reply) continue;
    const { text: said, calls } = reply;
    const call = calls.at(-1);
    const words = said.trim() !== '' ? said.trim() : call ? `${call.name}(${call.arguments})` : undefined;
    if (words !== undefined) return [...words].slice(0, MOST_CHARACTERS).join('');
  }
  return undefined;
}

function replyIn(line: Line): Pick<ModelReply, 'text' | 'calls'> | undefined {
  if (line.type === 'reply') return line.reply;
  return line.type === 'message' && line.message.role === 'assistant' ? line.message : undefined;
}
