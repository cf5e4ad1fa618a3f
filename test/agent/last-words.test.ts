import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lastWordsIn } from '../../src/agent/last-words.js';
import type { Message } from '../../src/core/model.js';

function wordsOf(messages: readonly Message[], tail = ''): string | undefined {
  const file = join(mkdtempSync(join(tmpdir(), 'words-')), 'transcript.ndjson');
  writeFileSync(file, messages.map((message) => `${JSON.stringify({ type: 'message', message })}\n`).join('') + tail);
  return lastWordsIn(file);
}
const said = (text: string): Message => ({ role: 'assistant', text, calls: [] });

it('takes the last text of the model, else its last call, cut, and passes over what is not whole', () => {
  expect(wordsOf([said('One.'), said(' Two. '), { role: 'user', text: 'Go on.' }], '{"type":"mess')).toBe('Two.');
  const calls = [{ id: '1', name: 'read_file', arguments: '{"path":"a"}' }];
  expect(wordsOf([said('One.'), { role: 'assistant', text: '', calls }])).toBe('read_file({"path":"a"})');
  expect(wordsOf([said('é'.repeat(300))])).toBe('é'.repeat(200));
});

it('finds none where nobody spoke', () => {
  expect(wordsOf([{ role: 'user', text: 'Hi' }])).toBeUndefined();
  expect(lastWordsIn('/nowhere/transcript.ndjson')).toBeUndefined();
});
