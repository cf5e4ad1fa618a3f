/** The last words of an agent's model, read from the transcript that it has left. */
import fs from 'node:fs';
import { parseLine } from './transcript.js';

const MOST_CHARACTERS = 200;

/** Its last text, else its last call, cut; undefined if there is neither. */
export function lastWordsIn(transcript: string): string | undefined {
  if (!fs.statSync(transcript, { throwIfNoEntry: false })) return undefined;
  const lines = fs.readFileSync(transcript, 'utf8').split('\n');
  for (const text of lines.reverse()) {
    const line = parseLine(text);
    if (line?.type !== 'message' || line.message.role !== 'assistant') continue;
    const { text: said, calls } = line.message;
    const call = calls.at(-1);
    const words = said.trim() !== '' ? said.trim() : call ? `${call.name}(${call.arguments})` : undefined;
    if (words !== undefined) return [...words].slice(0, MOST_CHARACTERS).join('');
  }
  return undefined;
}
